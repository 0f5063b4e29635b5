/*
 * The chart of days, drawn from the table beside it, and names of countries.
 */
'use strict';

const CLASSES = ['hd', 'sd', 'ld'];
const TITLES = {hd: '1080p and more', sd: '720p', ld: '480p and less'};
const compact = new Intl.NumberFormat(undefined, {notation: 'compact'});
const whole = new Intl.NumberFormat();
const day = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeZone: 'UTC'});

/** Read the table: seconds of each day, and its segments by class, oldest first. */
const readDays = (table) => {
  const rows = [...table.tBodies[0].rows].reverse();
  return {
    at: rows.map((row) => Date.parse(`${row.dataset.day}T00:00Z`) / 1000),
    by: CLASSES.map((name) => rows.map((row) => Number(row.dataset[name]))),
  };
};

/** Stack them: the first is the sum of all, so that the others are drawn over it. */
const stacked = ({at, by}) => {
  const sums = by.map((_, from) => at.map(
    (_, place) => by.slice(from).reduce((sum, values) => sum + Math.max(values[place], 0), 0),
  ));
  return [at, ...sums];
};

const told = ({at, by}, place) => {
  const parts = CLASSES.map(
    (name, index) => `${TITLES[name]} ${whole.format(by[index][place])}`,
  );
  const sum = by.reduce((all, values) => all + values[place], 0);
  return `${day.format(at[place] * 1000)}: ${whole.format(sum)} (${parts.join(', ')})`;
};

const optionsOf = (days, width, height, tell) => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const bars = uPlot.paths.bars({size: [0.75, 48]});
  const axis = {
    stroke: colour('--muted'),
    grid: {stroke: colour('--line'), width: 1},
    ticks: {stroke: colour('--line'), width: 1},
    font: '12px system-ui, sans-serif',
  };
  return {
    width,
    height,
    legend: {show: false},
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: {y: false, drag: {setScale: false}, points: {show: false}},
    scales: {
      x: {range: (_, least, most) => [least - 43200, most + 43200]},
      y: {range: (_, __, most) => [0, Math.max(most * 1.05, 1)]},
    },
    axes: [
      {...axis, grid: {show: false}, incrs: [1, 2, 7, 14, 30, 61, 91].map((one) => one * 86400),
        space: 64, values: (_, marks) => marks.map(
          (at) => new Intl.DateTimeFormat(undefined, {month: 'short', day: 'numeric', timeZone: 'UTC'})
            .format(at * 1000))},
      {...axis, size: 56, values: (_, marks) => marks.map(
        (value) => (Number.isInteger(value) ? compact.format(value) : ''))},
    ],
    series: [
      {},
      ...CLASSES.map((name) => ({
        label: TITLES[name],
        fill: colour(`--${name}`),
        width: 0,
        paths: bars,
        points: {show: false},
      })),
    ],
    hooks: {setCursor: [(chart) => tell(chart.cursor.idx)]},
  };
};

const drawDays = () => {
  const table = document.getElementById('daily');
  if (!table) {
    return;
  }
  const place = document.getElementById('daily-chart');
  const line = document.getElementById('daily-day');
  const first = line.textContent;
  const days = readDays(table);
  const tell = (index) => {
    line.textContent = index == null ? first : told(days, index);
  };
  let chart;
  const draw = () => {
    chart?.destroy();
    chart = new uPlot(
      optionsOf(days, place.clientWidth, place.clientHeight, tell), stacked(days), place,
    );
  };
  draw();
  new ResizeObserver(() => {
    chart.setSize({width: place.clientWidth, height: place.clientHeight});
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
};

/** Show the names of countries in the reader's language; the codes stay readable. */
const nameCountries = () => {
  const names = new Intl.DisplayNames(undefined, {type: 'region', fallback: 'none'});
  for (const country of document.querySelectorAll('[data-country]')) {
    const code = country.dataset.country;
    country.removeAttribute('data-country');
    const name = names.of(code);
    if (name) {
      country.textContent = `${name} (${code})`;
    }
  }
};

document.addEventListener('htmx:after:swap', nameCountries);
drawDays();
