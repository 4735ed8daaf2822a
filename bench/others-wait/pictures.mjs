// Images with few bytes and many pixels, and one with many bytes.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

/** @typedef {Awaited<ReturnType<typeof picturesIn>>} Pictures */

/**
 * Creates them if they do not exist.
 *
 * @param {string} folder
 */
export async function picturesIn(folder) {
  mkdirSync(folder, { recursive: true })
  return {
    /** The maximum number of pixels of an image. */
    avif: await cachedPicture(folder, 'allowed.avif', () => flat(4_000, 4_000).avif({ effort: 0 })),
    hugeAvif: await cachedPicture(folder, 'huge.avif', () =>
      flat(8_000, 8_000).avif({ effort: 0 }),
    ),
    png: await cachedPicture(folder, 'allowed.png', () => flat(4_000, 4_000).png()),
    hugePng: await cachedPicture(folder, 'huge.png', () => flat(16_000, 16_000).png()),
    photo: await cachedPicture(folder, 'photo.jpg', () =>
      noise(1_600, 1_200).jpeg({ quality: 90 }),
    ),
  }
}

/**
 * @param {number} width
 * @param {number} height
 */
const flat = (width, height) =>
  sharp({ create: { width, height, channels: 3, background: '#c04020' } })

/**
 * @param {number} width
 * @param {number} height
 */
const noise = (width, height) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })

/**
 * @param {string} folder
 * @param {string} name
 * @param {() => import('sharp').Sharp} make
 */
async function cachedPicture(folder, name, make) {
  const file = join(folder, name)
  if (!existsSync(file)) writeFileSync(file, await make().toBuffer())
  return readFileSync(file)
}
