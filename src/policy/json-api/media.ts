import type { MediaParameters, Profile } from '../../rule/media.ts'

export const mediaType = 'application/vnd.api+json'

/** https://jsonapi.org/profiles/ethanresnick/cursor-pagination */
export const cursorPagination: Profile = Object.freeze({
  uri: 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination',
  effect: 'cursor-pages',
})

/** No extensions; profiles only where lists can be paged. */
export const plain: MediaParameters = Object.freeze({ kind: 'uris', extensions: [], profiles: [] })
export const paged: MediaParameters = Object.freeze({ kind: 'uris', extensions: [], profiles: [cursorPagination] })
