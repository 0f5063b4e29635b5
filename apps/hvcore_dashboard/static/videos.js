/*
 * Lists of videos: choosing several, and previews of what the pointer is on.
 */
'use strict';

{
  const boxes = () => [...document.querySelectorAll('input[name="video"]')];
  const ofPage = () => [...document.querySelectorAll('[data-checks="video"]')];
  const all = () => document.querySelector('#bulk [data-all]');
  let last = null;

  /** Say how many are chosen, and show what can be done with them. */
  const count = () => {
    const bar = document.getElementById('bulk');
    if (!bar) {
      return;
    }
    const shown = boxes();
    const here = shown.filter((box) => box.checked).length;
    const chosen = all()?.checked ? Number(all().dataset.all) : here;
    bar.querySelector('[data-told]').hidden = chosen === 0;
    bar.querySelector('[data-with-chosen]').hidden = chosen === 0;
    bar.querySelector('[data-count]').textContent = chosen.toLocaleString();
    bar.classList.toggle('has-chosen', chosen > 0);
    for (const box of ofPage()) {
      box.checked = here > 0 && here === shown.length;
      box.indeterminate = here > 0 && !box.checked;
    }
  };

  const check = (some, isChecked) => some.forEach((box) => { box.checked = isChecked; });

  document.addEventListener('change', ({target}) => {
    if (target.dataset.checks === 'video' || 'all' in target.dataset) {
      check(boxes(), target.checked);
    }
    // Who takes one away has not chosen all that were found.
    if (all() && !target.checked && (target.name === 'video' || target.dataset.checks)) {
      all().checked = false;
    }
    count();
  });
  // Shift with the pointer, or with the space bar: all from the last one to this one.
  document.addEventListener('click', ({target, shiftKey}) => {
    if (target.name !== 'video') {
      return;
    }
    const shown = boxes();
    const [from, to] = [shown.indexOf(last), shown.indexOf(target)];
    if (shiftKey && from >= 0) {
      check(shown.slice(Math.min(from, to), Math.max(from, to) + 1), target.checked);
    }
    last = target;
  });
  document.addEventListener('htmx:after:swap', count);
  // A browser that comes back fills boxes in by itself.
  window.addEventListener('pageshow', count);
  count();

  /** Return the address that tells where the storyboard of a poster's video is. */
  const storyboardOf = (poster) => {
    const address = new URL(poster.closest('a').href);
    address.pathname += '/storyboard';
    return address.href;
  };

  /** Return the pictures of a storyboard: seconds, address, place in the sprite. */
  const readStoryboard = async (source) => {
    const {url} = await (await fetch(source)).json();
    const answer = await fetch(url);
    if (!answer.ok) {
      return [];
    }
    const cue = /([\d:.]+) --> .*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g;
    return [...(await answer.text()).matchAll(cue)].map(([, , name, ...box]) =>
      ({url: new URL(name, url).href, box: box.map(Number)}));
  };

  const STEP_MS = 500;
  const LOOK_MS = 250;
  let running = null;

  const show = (poster, {url, box: [x, y, width, height]}) => {
    const preview = poster.querySelector('.preview')
      ?? poster.appendChild(Object.assign(document.createElement('span'), {className: 'preview'}));
    // The sprite is as large as it is; all of the picture shall be in the poster.
    const scale = Math.min(poster.clientWidth / width, poster.clientHeight / height);
    const left = (poster.clientWidth - width * scale) / 2;
    const top = (poster.clientHeight - height * scale) / 2;
    preview.style.width = `${width}px`;
    preview.style.height = `${height}px`;
    preview.style.transformOrigin = '0 0';
    preview.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
    preview.style.backgroundImage = `url("${url}")`;
    preview.style.backgroundPosition = `-${x}px -${y}px`;
  };

  const stop = () => {
    clearInterval(running?.timer);
    clearTimeout(running?.timer);
    running?.poster.querySelector('.preview')?.remove();
    running = null;
  };

  const begin = (poster) => {
    stop();
    const own = {poster};
    running = own;
    own.timer = setTimeout(async () => {
      const pictures = await readStoryboard(storyboardOf(poster)).catch(() => []);
      if (running !== own || !pictures.length) {
        return;
      }
      // A dozen pictures tell what a video is, however long it is.
      const step = Math.max(1, Math.floor(pictures.length / 12));
      let at = 0;
      const next = () => {
        show(poster, pictures[at % pictures.length]);
        at += step;
      };
      next();
      own.timer = setInterval(next, STEP_MS);
    }, LOOK_MS);
  };

  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) {
    document.addEventListener('pointerover', ({target}) => {
      // Only those that are ready have a picture.
      const poster = target.closest?.('.poster:has(img)');
      if (poster && poster !== running?.poster) {
        begin(poster);
      } else if (!poster) {
        stop();
      }
    });
  }
}
