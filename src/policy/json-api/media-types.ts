import { withExtensions } from '../../http/headers/media-type-uris.ts'
import type { MediaTypeParameters, Profile } from '../../rule/media-type-parameters.ts'

export const mediaType = 'application/vnd.api+json'

const cursorPaginationAddress = '://jsonapi.org/profiles/ethanresnick/cursor-pagination'

/** The profile was published with and without a trailing slash, and with both schemes. */
export const cursorPagination: Profile = Object.freeze({
  uri: `https${cursorPaginationAddress}`,
  aliases: [
    `https${cursorPaginationAddress}/`,
    `http${cursorPaginationAddress}`,
    `http${cursorPaginationAddress}/`,
  ],
  effect: 'cursor-pages',
})

/** No extensions, no profiles. */
export const plainParameters: MediaTypeParameters = Object.freeze({
  kind: 'uris',
  extensions: [],
  profiles: [],
})
export const pagedParameters: MediaTypeParameters = Object.freeze({
  kind: 'uris',
  extensions: [],
  profiles: [cursorPagination],
})

/** The Atomic Operations extension. */
export const atomicExtensionUri = 'https://jsonapi.org/ext/atomic'
export const atomicParameters: MediaTypeParameters = Object.freeze({
  kind: 'uris',
  extensions: [atomicExtensionUri],
  profiles: [],
})
export const atomicMediaType: string = withExtensions(mediaType, [atomicExtensionUri])
