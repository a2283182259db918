/** Style of the reference page: two color themes, one layout for widths from 320 pixels. */

/** A test checks a contrast of at least 4.5 to 1 for every text color and background. */
export const COLORS = {
  light: {
    ground: "#ffffff",
    panel: "#f4f4f5",
    line: "#e4e4e7",
    text: "#18181b",
    muted: "#52525b",
    accent: "#4f46e5",
    get: "#1d4ed8",
    post: "#166534",
    put: "#92400e",
    patch: "#6b21a8",
    delete: "#b91c1c",
  },
  dark: {
    ground: "#09090b",
    panel: "#18181b",
    line: "#27272a",
    text: "#fafafa",
    muted: "#a1a1aa",
    accent: "#818cf8",
    get: "#93c5fd",
    post: "#86efac",
    put: "#fcd34d",
    patch: "#d8b4fe",
    delete: "#fca5a5",
  },
} as const;

const properties = (colors: Record<string, string>): string =>
  Object.entries(colors)
    .map(([name, value]) => `--${name}:${value};`)
    .join("");

export const STYLE = `
:root{color-scheme:light dark;${properties(COLORS.light)}}
@media (prefers-color-scheme:dark){:root{${properties(COLORS.dark)}}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--accent);text-underline-offset:.2em}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
:not(pre)>code{background:var(--panel);border-radius:4px;padding:.1em .35em}
h1,h2,h3{line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
h1{font-size:2.25rem;margin:0 0 1rem}
h2{font-size:1.5rem;margin:0 0 .5rem}
h3{font-size:1.125rem;margin:0}
.skip{position:absolute;left:-100vw;top:.5rem;z-index:2;background:var(--ground);padding:.5rem 1rem;border:2px solid var(--accent);border-radius:8px}
.skip:focus{left:.5rem}
.page{display:grid;grid-template-columns:19rem minmax(0,1fr);max-width:84rem;margin:0 auto}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-right:1px solid var(--line);padding:2rem 1rem 3rem;font-size:.875rem}
nav .brand{display:block;padding:0 .5rem;font-weight:650;font-size:1.0625rem;color:var(--text);text-decoration:none}
nav p{margin:.25rem .5rem 1.5rem;color:var(--muted)}
nav .group{display:block;font-weight:600;padding:.25rem .5rem;color:var(--text);text-decoration:none}
nav .group:hover{text-decoration:underline}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav li a{display:grid;grid-template-columns:3.25rem 1fr;gap:.5rem;align-items:baseline;padding:.25rem .5rem;color:var(--muted);text-decoration:none;border-radius:6px;line-height:1.4}
nav li a:hover{background:var(--panel);color:var(--text)}
.method{font:600 .6875rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;letter-spacing:.02em;text-transform:uppercase}
${(["get", "post", "put", "patch", "delete"] as const).map((name) => `.${name}{color:var(--${name})}`).join("")}
main{padding:2.5rem clamp(1rem,4vw,4rem) 6rem;min-width:0;container-type:inline-size}
.lead{max-width:46rem;color:var(--muted)}
.lead p{margin:.75rem 0}
.lead code{color:var(--text)}
.lead+table{max-width:46rem;margin-top:1.5rem}
.page section{border-top:1px solid var(--line);margin-top:3.5rem;padding-top:2.5rem}
section>p{max-width:46rem;margin:0;color:var(--muted)}
article{margin-top:3.5rem}
article>header{margin-bottom:1.25rem}
article .address{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center;margin:.5rem 0 0}
article .address .method{font-size:.75rem;padding:.4rem .5rem;border-radius:6px;background:var(--panel)}
article .address code{background:none;padding:0;color:var(--text);overflow-wrap:anywhere}
article header p{margin:.5rem 0 0;color:var(--muted);font-size:.9375rem}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
.example{margin-bottom:1.75rem}
.example p{margin:0 0 .375rem;font-size:.8125rem;font-weight:600;color:var(--muted)}
pre{margin:0;padding:1rem;background:var(--panel);border:1px solid var(--line);border-radius:10px;overflow-x:auto;line-height:1.55;font-size:.8125rem;-webkit-user-select:all;user-select:all}
table{width:100%;border-collapse:collapse;font-size:.875rem;line-height:1.5;margin:0 0 1.25rem}
caption{text-align:left;font-weight:600;padding:0 0 .375rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-top:1px solid var(--line);font-weight:400}
thead th{color:var(--muted);font-size:.75rem;padding-block:.375rem}
tbody th{white-space:nowrap;width:22%}
tbody th code{font-weight:600;background:none;padding:0}
.depth-1{padding-left:1.25rem}.depth-2{padding-left:2.5rem}.depth-3{padding-left:3.75rem}.depth-4{padding-left:5rem}
td{color:var(--muted)}
td code{color:var(--text)}
td.type{color:var(--text);width:22%}
td.type small{display:block;color:var(--muted);font-size:.75rem}
td b{color:var(--text);font-weight:600}
.choices{margin-top:.125rem;line-height:1.8}
details{border-top:1px solid var(--line)}
main summary{cursor:pointer;padding:.625rem 0;font-size:.875rem;font-weight:600}
main summary span{font-weight:400;color:var(--muted)}
details>table{margin-top:.25rem}
.parts p{margin:0 0 .875rem;font-size:.875rem;color:var(--muted)}
.parts p b{color:var(--text);font-weight:600;margin-right:.5rem}
@media (max-width:56rem){.page{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:1.25rem 1rem}nav{display:flex;flex-wrap:wrap;gap:.375rem}nav .brand,nav p{flex-basis:100%;margin:0;padding:0 .25rem}nav ul{display:none}nav .group{padding:.25rem .625rem;border:1px solid var(--line);border-radius:999px}main{padding-top:2rem}h1{font-size:1.875rem}}
@container (max-width:46rem){
table,caption,tbody,tr,th,td{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{border-top:1px solid var(--line);padding:.5rem 0}
th,td{border:0;padding-top:.0625rem;padding-bottom:.0625rem;padding-right:0}
tbody th,td.type,td[data-label]{display:inline-block;white-space:normal;width:auto;margin-right:.75rem}
td.type small{display:inline;margin-left:.5rem}
td.none{display:none}
td[data-label]::before{content:attr(data-label) ": "}
tr:has(.depth-1){margin-left:1rem}tr:has(.depth-2){margin-left:2rem}tr:has(.depth-3){margin-left:3rem}tr:has(.depth-4){margin-left:4rem}
tr>[class^=depth]{padding-left:0}
}
@media print{nav,.skip{display:none}.page{display:block}pre{white-space:pre-wrap}}
`;
