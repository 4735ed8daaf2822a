import { createRequire } from 'node:module'
import { pipeline } from 'node:stream/promises'
import { refuse } from '../error/api-error.ts'
import type { Render } from './image-variants.ts'

export const renderVariant: Render = async (original, { format, size }) => {
  const { default: sharp } = await import('sharp')
  const image = sharp({ limitInputPixels: 100_000_000, failOn: 'error' })
    .autoOrient()
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .toFormat(format)
  const made = image.toBuffer()
  made.catch(() => {})
  try {
    await pipeline(original, image)
    return await made
  } catch {
    throw refuse('unprocessable', 'The image cannot be made in this form.')
  }
}

export function isSharpThere(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}
