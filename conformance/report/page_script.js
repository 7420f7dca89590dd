// Comforts only: without them the page says all it has to say.
//
// SPDX-License-Identifier: Apache-2.0
'use strict';

// A wide picture begins at what contradicts itself.
function show(mark) {
  const time = mark && mark.closest('.time');
  if (!time) return;
  const left = mark.getBoundingClientRect().left - time.getBoundingClientRect().left + time.scrollLeft;
  time.scrollLeft = Math.max(0, left - 60);
}
const pictures = document.querySelectorAll('.time');
const begin = () => pictures.forEach((time) => show(time.querySelector('.marked')));
begin();
document.querySelectorAll('details').forEach((one) => one.addEventListener('toggle', begin, { once: true }));

// A link into something folded opens it; one to an operation brings it into view.
function follow() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.scrollIntoView({ block: 'center' });
  show(target);
}
addEventListener('hashchange', follow);
follow();

// A command is copied with a click.
document.querySelectorAll('.again code').forEach((code) => {
  const button = document.createElement('button');
  button.textContent = 'copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'copied';
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
  code.after(button);
});
