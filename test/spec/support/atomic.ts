/** The URI of the Atomic Operations extension. */
export const atomicUri = 'https://jsonapi.org/ext/atomic'

/** The media type of its documents. */
export const atomicType = `application/vnd.api+json;ext="${atomicUri}"`
