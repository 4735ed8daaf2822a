// @ts-check
// Plain JavaScript, so that it runs from the sources as well as from what is built. A process of
// its own: it answers one task at a time.
import sharp from 'sharp'

// It would hold what was decoded.
sharp.cache(false)

// Ends with the service, and not before: a signal to the whole group asks the service to end what
// it is doing first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
// An exit waits for native code that is at work, which may take long.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

/** @type {Uint8Array[]} */
let parts = []

process.on(
  'message',
  (/** @type {{ part?: Uint8Array, task?: import('./image-task.ts').ImageTask }} */ message) => {
    if (message.part) parts.push(message.part)
    if (!message.task) return
    const original = Buffer.concat(parts)
    parts = []
    answer(original, message.task).then((found) => process.send?.({ answer: found }))
  },
)
// Whatever was loaded before, by NODE_OPTIONS: it waits for tasks.
process.channel?.ref()
process.send?.({ isReady: true })

/**
 * @param {Buffer} original
 * @param {import('./image-task.ts').ImageTask} task
 * @returns {Promise<import('./image-task.ts').ImageResult>}
 */
async function answer(original, { variant, maxPixels }) {
  const size = await sizeOf(original)
  if (!variant || (size && size.width * size.height * size.frames > maxPixels))
    return { size, image: undefined }
  const image = sharp(original, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
  // JPEG has no transparency, and what is behind it would be black.
  if (variant.format === 'jpeg') image.flatten({ background: '#ffffff' })
  const made = await image
    .autoOrient()
    .resize({ width: variant.size, height: variant.size, fit: 'inside', withoutEnlargement: true })
    .toFormat(variant.format)
    .toBuffer()
    .catch(() => undefined)
  return { size, image: made }
}

/** @param {Buffer} original */
async function sizeOf(original) {
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
