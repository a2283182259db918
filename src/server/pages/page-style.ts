/** Style of the pages for principals: two color themes, widths from 320 pixels. */
import { COLORS } from "../openapi/reference-style.ts";

const properties = (colors: Record<string, string>): string =>
  Object.entries(colors)
    .map(([name, value]) => `--${name}:${value};`)
    .join("");

export const PAGE_STYLE = `
:root{color-scheme:light dark;${properties(COLORS.light)}}
@media (prefers-color-scheme:dark){:root{${properties(COLORS.dark)}}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--text)}
a{color:var(--accent)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0}
p{margin:.5rem 0}
small,.muted{color:var(--muted)}
main{max-width:32rem;margin:0 auto;padding:2rem 1rem}
main.wide{max-width:68rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input,select,textarea{font:inherit;width:100%;padding:.5rem .75rem;border-radius:.375rem;border:1px solid var(--muted);background:var(--ground);color:var(--text)}
input[type=radio]{width:auto;margin-right:.5rem}
button,.button{display:inline-block;font:inherit;font-weight:600;padding:.5rem 1rem;border-radius:.375rem;border:1px solid ${COLORS.light.accent};background:${COLORS.light.accent};color:#fff;text-decoration:none;cursor:pointer}
.narrow form>button:not(.quiet){display:block;width:100%;margin-top:1.5rem}
button.quiet,.button.quiet{background:none;border-color:var(--muted);color:inherit;font-weight:400}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
ul{padding:0;margin:1rem 0;list-style:none}
fieldset{border:0;padding:0;margin:1rem 0}
fieldset label{font-weight:400;margin:.25rem 0}
legend{font-weight:600;padding:0}
header{border-bottom:1px solid var(--line)}
header>div{max-width:68rem;margin:0 auto;padding:.75rem 1rem;display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;flex:1 1 20rem}
header nav a{white-space:nowrap;padding:.25rem 0;color:inherit;text-decoration:none;border-bottom:2px solid transparent}
header nav a[aria-current]{border-color:var(--accent);font-weight:600}
header form{display:flex;gap:.75rem;align-items:center;margin:0}
header button.quiet{padding:.25rem .75rem}
.search{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0 .5rem}
.search input{flex:1 1 16rem;width:auto}
.search select{flex:0 1 14rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1rem}
.card,.item{display:flex;flex-direction:column;gap:.25rem;padding:1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--ground)}
.card h2,.item h2{font-size:1rem;margin:0}
.card a{color:inherit;text-decoration:none}
.card a:hover{text-decoration:underline}
.card p{display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden;margin:.25rem 0}
.card footer{margin-top:auto;padding-top:.5rem}
.card footer,.row{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center;justify-content:space-between}
.row{justify-content:flex-start}
.row.ends{justify-content:space-between}
.row button.quiet{padding:.25rem .75rem}
.card footer form,.row form{margin:0}
.card .button{color:#fff}
.card .button.quiet{color:inherit}
.item{margin:0 0 1rem}
.badge{font-size:.875rem;font-weight:600;padding:.125rem .625rem;border-radius:1rem;background:var(--panel);white-space:nowrap}
.badge.good{color:var(--post)}
.badge.warn{color:var(--put)}
.badge.bad{color:var(--delete)}
.notice{padding:.75rem 1rem;border:1px solid var(--put);border-radius:.5rem}
pre{margin:.5rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);overflow-x:auto;font:.875rem/1.5 ui-monospace,monospace}
code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
pre code{font-size:inherit;overflow-wrap:normal}
details summary{cursor:pointer}
details[open] summary{margin-bottom:.5rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`;
