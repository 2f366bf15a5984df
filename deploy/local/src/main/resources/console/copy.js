// A button that copies the text beside it.

/** Puts a button behind the element. A click copies the result of `text`. */
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
