/** What an entry of the catalog fixes: everything else about an error is said where it happens. */
export interface CatalogEntry {
  readonly status: number
  readonly title: string
}

/**
 * Every error the service can answer. A code, once published, keeps its meaning for ever; titles
 * are constant per code (JSON:API 1.1, error objects), the detail names the thing.
 */
export const catalog = {
  // The request as HTTP
  'malformed-request': { status: 400, title: 'The request is not well-formed HTTP' },
  'malformed-path': { status: 400, title: 'The path is not well-formed' },
  'malformed-query': { status: 400, title: 'The query string is not well-formed' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'method-not-allowed': { status: 405, title: 'This address does not answer this method' },
  'not-acceptable': { status: 406, title: 'None of the accepted media types can be served' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'item-too-large': { status: 413, title: 'The item would be too large' },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is in a media type that is not read here',
  },
  'unsupported-encoding': {
    status: 415,
    title: 'The body is in a content coding that is not read here',
  },
  'range-not-satisfiable': { status: 416, title: 'The range lies beyond the end' },
  'misdirected-request': { status: 421, title: 'The host is not served here' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'method-not-implemented': { status: 501, title: 'The method is not known to this service' },
  'transfer-coding-not-implemented': { status: 501, title: 'The transfer coding is not read here' },

  // Query parameters
  'unknown-parameter': { status: 400, title: 'The query parameter is not known here' },
  'repeated-parameter': { status: 400, title: 'The query parameter is given more than once' },
  'unknown-field': { status: 400, title: 'The field does not exist' },
  'unknown-operator': { status: 400, title: 'The filter operator does not exist' },
  'invalid-value': { status: 400, title: 'The value does not fit' },
  'invalid-filter': { status: 400, title: 'The filter expression cannot be read' },
  'invalid-sort': { status: 400, title: 'The list cannot be sorted by this' },
  'invalid-include': { status: 400, title: 'The path cannot be included' },
  'invalid-page': { status: 400, title: 'The page cannot be read' },
  'invalid-cursor': { status: 400, title: 'The cursor cannot be read' },
  'page-too-large': { status: 400, title: 'The page is larger than allowed' },
  'limit-exceeded': { status: 400, title: 'The request asks for more than one request may' },

  // Bodies
  'empty-body': { status: 400, title: 'The body is empty' },
  'malformed-body': { status: 400, title: 'The body is not well-formed' },
  'malformed-json': { status: 400, title: 'The body is not well-formed JSON' },
  'malformed-multipart': { status: 400, title: 'The form is not well-formed' },
  'missing-part': { status: 400, title: 'The form has no file for the field' },
  'unknown-part': { status: 400, title: 'The part of the form does not belong here' },
  'repeated-part': { status: 400, title: 'The part of the form is given more than once' },
  'invalid-digest': { status: 400, title: 'The digest cannot be read' },
  'digest-mismatch': {
    status: 400,
    title: 'The content is not the one that its digest was made of',
  },
  'content-mismatch': {
    status: 415,
    title: 'The content is not of the type that it is declared as',
  },
  'invalid-document': { status: 400, title: 'The document has the wrong shape' },
  'invalid-relation': { status: 400, title: 'A relation holds identifiers' },
  'invalid-resource': {
    status: 400,
    title: 'A binary resource is not set as a member of its item',
  },
  'unknown-member': { status: 422, title: 'The member does not exist' },
  'invalid-member': { status: 422, title: 'The member does not fit the model' },
  'invalid-id': { status: 422, title: 'The identifier cannot be used' },
  'id-not-allowed': { status: 403, title: 'The identifier is given by the service' },
  'id-mismatch': { status: 409, title: 'The identifier differs from the one in the path' },
  'related-not-found': { status: 422, title: 'The related item does not exist' },
  'related-missing': { status: 404, title: 'There is no such related item' },
  'type-mismatch': { status: 409, title: 'The type is not the one that belongs here' },
  'image-too-large': { status: 422, title: 'The image has too many pixels' },
  'invalid-input': { status: 422, title: 'The input does not fit the action' },
  'invalid-outcome': {
    status: 422,
    title: 'The action would leave an item that does not fit the model',
  },

  // State
  'already-exists': { status: 409, title: 'An item with this identifier already exists' },
  'value-taken': { status: 409, title: 'The value is taken by another item' },
  'still-referenced': { status: 409, title: 'Other items still refer to this one' },
  conflict: { status: 409, title: 'The request does not fit the present state' },
  'precondition-failed': { status: 412, title: 'The item has changed' },
  'precondition-required': { status: 428, title: 'A precondition is required' },

  // For middleware and actions
  unauthorized: { status: 401, title: 'Authentication is required' },
  'cross-site-request': { status: 403, title: 'Another site may not do this' },
  forbidden: { status: 403, title: 'This is not allowed' },
  'operation-refused': { status: 403, title: 'An operation of the batch was not let through' },
  unprocessable: { status: 422, title: 'The request cannot be carried out' },
  'too-many-requests': { status: 429, title: 'Too many requests' },

  // The service
  'internal-error': { status: 500, title: 'Something went wrong in the service' },
  overloaded: { status: 503, title: 'The service has too much to do for the moment' },
  'validation-timeout': { status: 503, title: 'Validation took too long' },
  'query-timeout': { status: 503, title: 'The items took too long to find' },
  'store-unavailable': { status: 503, title: 'The store is away for the moment' },
  'shutting-down': { status: 503, title: 'The service is shutting down' },
} as const

/** The stable, machine-readable name of an error. */
export type ErrorCode = keyof typeof catalog
