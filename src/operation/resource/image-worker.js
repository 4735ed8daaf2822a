// @ts-check
// A child process that handles one task at a time. Plain JavaScript, so that it runs from the
// sources as well as from the build.
import sharp from 'sharp'

// The cache would keep decoded images.
sharp.cache(false)

// Ignores signals to the process group: the service finishes its work first, and ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
// process.exit() would wait for native code, which may take long.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

/** @type {Uint8Array[]} */
let chunks = []

process.on(
  'message',
  (/** @type {{ chunk?: Uint8Array, task?: import('./image-task.ts').ImageTask }} */ message) => {
    if (message.chunk) chunks.push(message.chunk)
    if (!message.task) return
    const original = Buffer.concat(chunks)
    chunks = []
    run(original, message.task).then((result) => process.send?.({ result }))
  },
)
// Keeps the process alive for tasks, even if a module of NODE_OPTIONS has unreferenced the channel.
process.channel?.ref()
process.send?.({ isReady: true })

/**
 * @param {Buffer} original
 * @param {import('./image-task.ts').ImageTask} task
 * @returns {Promise<import('./image-task.ts').ImageResult>}
 */
async function run(original, { variant, maxPixels }) {
  const size = await readSize(original)
  if (!variant || (size && size.width * size.height * size.frames > maxPixels))
    return { size, image: undefined }
  const image = sharp(original, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
  // JPEG has no transparency; the background would be black.
  if (variant.format === 'jpeg') image.flatten({ background: '#ffffff' })
  const converted = await image
    .autoOrient()
    .resize({ width: variant.size, height: variant.size, fit: 'inside', withoutEnlargement: true })
    .toFormat(variant.format)
    .toBuffer()
    .catch(() => undefined)
  return { size, image: converted }
}

/** @param {Buffer} original */
async function readSize(original) {
  try {
    const {
      width,
      height,
      pages: frames = 1,
    } = await sharp(original, { limitInputPixels: false }).metadata()
    return { width, height, frames }
  } catch {
    return undefined
  }
}
