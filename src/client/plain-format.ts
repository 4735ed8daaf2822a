import { type Format, type Item, modelOf } from './format.ts'
import type { Manifest } from './manifest.ts'

/** `{"book": {…}}` and `{"books": […]}`, with related items under their plurals. */
export function plainFormat(manifest: Manifest): Format {
  const { models } = manifest
  return {
    mediaType: 'application/json',
    hasInverseFields: false,
    primary: (document, plural) => document[plural] ?? document[modelOf(manifest, plural).name],
    included: (document) =>
      Object.entries(document).flatMap(([key, values]) => {
        // Included items of the model of the list stand under its plural with an underscore.
        const plural = key in models ? key : key.slice(1)
        return plural in models && Array.isArray(values)
          ? values.map((value) => [plural, value] as const)
          : []
      }),
    toItem: (received) => received as Item,
    version: (received, plural) => received[modelOf(manifest, plural).version ?? ''],
    pointerInto: (pointer, plural) => withoutStart(pointer, `/${modelOf(manifest, plural).name}`),
    writeItem: (values, plural) => ({ [modelOf(manifest, plural).name]: values }),
    writeInput: (input) => input,
    readOutput: (document) => document,
    pageLinks: (_, headers) =>
      Object.fromEntries(
        [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
          ([, address, name]) => [name!, address!],
        ),
      ),
  }
}

export function withoutStart(text: string, start: string): string {
  return text === start || text.startsWith(`${start}/`) ? text.slice(start.length) : text
}
