import { createRequire } from 'node:module'

/** sharp is an optional peer dependency. */
export function isSharpInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}

/** Without SVG and PDF, which sharp may support too: those are programs rather than pictures. */
export const imageMediaTypes: ReadonlySet<string> = new Set(
  ['apng', 'avif', 'gif', 'heif', 'jpeg', 'png', 'tiff', 'webp'].map(
    (subtype) => `image/${subtype}`,
  ),
)
