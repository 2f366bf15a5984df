// A button beside a text that people paste elsewhere.

/** Puts it behind the element; `text` says what is copied at a click. */
export function copyButton(element, what, text, say) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${what}`);
  button.addEventListener('click', () => navigator.clipboard.writeText(text())
    .then(() => say(`Copied: ${text()}`), (refused) => say(`Not copied: ${refused.message}`)));
  element.after(button);
}
