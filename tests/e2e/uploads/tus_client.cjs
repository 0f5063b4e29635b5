// Upload a file with tus-js-client; told by a line on stdin, give up and go on.
//
// Usage: node tus_client.cjs <module folder> <endpoint> <file>, key in HV_KEY.
// Prints one JSON object per line.
const fs = require('fs');
const readline = require('readline');

const [, , folder, endpoint, path] = process.argv;
const tus = require(folder);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const upload = new tus.Upload(fs.createReadStream(path), {
  endpoint,
  uploadSize: fs.statSync(path).size,
  chunkSize: 16 * 1024 * 1024,
  retryDelays: [0, 200, 500, 1000, 1000, 2000, 2000, 5000, 5000],
  metadata: { filename: 'padded.mp4', filetype: 'video/mp4', allowPublicAccess: 'true' },
  onBeforeRequest(req) {
    // The key goes to the API alone.
    if (req.getURL() === endpoint) req.setHeader('X-Api-Key', process.env.HV_KEY);
  },
  onAfterResponse(req, res) {
    const asset = res.getHeader('X-Asset-Id');
    say({ request: req.getMethod(), status: res.getStatus(), ...(asset && { asset }) });
  },
  onProgress: (sent) => say({ sent }),
  onSuccess: () => { say({ done: true }); process.exit(0); },
  onError: (error) => { say({ error: String(error) }); process.exit(1); },
});

readline.createInterface({ input: process.stdin }).on('line', async () => {
  await upload.abort();
  say({ aborted: true, url: upload.url });
  upload.start();
});
upload.start();
