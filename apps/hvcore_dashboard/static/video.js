/*
 * The player of a video's page, and the moment of its picture.
 */
'use strict';

{
  /** Return the address with a new token of the video that a frame is for; "" if none comes. */
  const renewed = async (frame) => {
    try {
      const answer = await fetch(frame.dataset.renew);
      return answer.ok ? (await answer.json()).url : '';
    } catch {
      // The player asks again, and tells the viewer if nobody answers.
      return '';
    }
  };

  // Private videos go on when their token is over.
  window.addEventListener('message', async ({data, source, origin}) => {
    const frame = document.getElementById('player');
    if (!frame || source !== frame.contentWindow || origin !== new URL(frame.src).origin
      || data?.type !== 'hv-player:event' || data.event !== 'tokenexpiring') {
      return;
    }
    const url = await renewed(frame);
    // The frame may have gone meanwhile, or show another page: that one asks for itself.
    if (url && source === frame.contentWindow) {
      const {page} = data;
      const call = {type: 'hv-player:call', id: `setToken-${Date.now()}`, method: 'setToken'};
      source.postMessage({...call, page, args: [url]}, origin);
    }
  });

  const scrub = document.getElementById('scrub');
  if (scrub) {
    const range = scrub.querySelector('input[type="range"]');
    const moment = document.getElementById('timestampSeconds');
    const picture = scrub.querySelector('.scrub-picture');
    const said = scrub.querySelector('output');
    let pictures = [];

    const seconds = (text) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

    const readStoryboard = async () => {
      const {url} = await (await fetch(scrub.dataset.storyboard)).json();
      const answer = await fetch(url);
      if (!answer.ok) {
        return [];
      }
      const cue = /([\d:.]+) --> .*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g;
      return [...(await answer.text()).matchAll(cue)].map(([, start, name, ...box]) =>
        ({at: seconds(start), url: new URL(name, url).href, box: box.map(Number)}));
    };

    const clock = (at) => {
      const rest = (at % 60).toFixed(1).padStart(4, '0');
      return `${Math.floor(at / 60)}:${rest}`;
    };

    const show = () => {
      const at = Number(range.value);
      said.textContent = clock(at);
      range.setAttribute('aria-valuetext', clock(at));
      const found = pictures.findLast((one) => one.at <= at);
      if (!found) {
        return;
      }
      const [x, y, width, height] = found.box;
      const preview = picture.querySelector('.preview')
        ?? picture.appendChild(Object.assign(document.createElement('span'), {className: 'preview'}));
      const scale = Math.min(picture.clientWidth / width, picture.clientHeight / height);
      const left = (picture.clientWidth - width * scale) / 2;
      const top = (picture.clientHeight - height * scale) / 2;
      preview.style.width = `${width}px`;
      preview.style.height = `${height}px`;
      preview.style.transformOrigin = '0 0';
      preview.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
      preview.style.backgroundImage = `url("${found.url}")`;
      preview.style.backgroundPosition = `-${x}px -${y}px`;
    };

    range.addEventListener('input', () => {
      moment.value = range.value;
      show();
    });
    moment.addEventListener('input', () => {
      range.value = moment.value;
      show();
    });
    readStoryboard().then((found) => {
      pictures = found;
      show();
    }, () => {});
    show();
  }
}
