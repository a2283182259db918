/** Script of the Store's pages: searches while typing, and copies code. Without it, forms and text do the same. */
export const PAGE_SCRIPT = `
const form = document.querySelector("form.search");
let timer, last;
form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const url = new URL(location.href);
    url.search = new URLSearchParams(new FormData(form));
    last?.abort();
    last = new AbortController();
    try {
      const response = await fetch(url, { signal: last.signal });
      const next = new DOMParser().parseFromString(await response.text(), "text/html");
      const found = next.getElementById("results");
      if (!found) return location.reload();
      document.getElementById("results").replaceWith(found);
      document.getElementById("count").textContent = next.getElementById("count").textContent;
      history.replaceState(null, "", url);
    } catch {}
  }, 200);
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const code = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.firstChild.textContent = "Copied";
    setTimeout(() => { button.firstChild.textContent = "Copy"; }, 2000);
  } catch {
    getSelection().selectAllChildren(code);
  }
});
for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
`;
