/*
 * A one-time link has its code behind #, which no server and no log sees.
 */
'use strict';

{
  const code = decodeURIComponent(location.hash.slice(1));
  if (code) {
    // Nor does it stay in the browser's history.
    history.replaceState(null, '', location.pathname);
    document.getElementById('code').value = code;
    // Nobody is signed in by opening an address, which another may have sent, or a
    // program opens that looks at links.
    document.querySelector('#link button').focus();
  }
  // The second click of two would find the code used up, and take the page's place.
  document.querySelector('#link button').addEventListener('click', (event) => {
    if (event.detail > 1) {
      event.preventDefault();
    }
  });
}
