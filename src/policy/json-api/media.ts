import { withExtensions } from '../../http/media-uris.ts'
import type { MediaParameters, Profile } from '../../rule/media.ts'

export const mediaType = 'application/vnd.api+json'

const address = '://jsonapi.org/profiles/ethanresnick/cursor-pagination'

/** The profile was published with and without the slash at the end, and by both schemes. */
export const cursorPagination: Profile = Object.freeze({
  uri: `https${address}`,
  aliases: [`https${address}/`, `http${address}`, `http${address}/`],
  effect: 'cursor-pages',
})

/** No extensions; profiles only where lists can be paged. */
export const plain: MediaParameters = Object.freeze({ kind: 'uris', extensions: [], profiles: [] })
export const paged: MediaParameters = Object.freeze({ kind: 'uris', extensions: [], profiles: [cursorPagination] })

/** The Atomic Operations extension. */
export const atomicUri = 'https://jsonapi.org/ext/atomic'
export const atomic: MediaParameters = Object.freeze({ kind: 'uris', extensions: [atomicUri], profiles: [] })
export const atomicMediaType: string = withExtensions(mediaType, [atomicUri])
