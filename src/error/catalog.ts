/** What an entry of the catalog fixes: everything else about an error is said where it happens. */
export interface CatalogEntry {
  readonly status: number
  readonly title: string
}

const entry = (status: number, title: string): CatalogEntry => ({ status, title })

/**
 * Every error the service can answer. A code, once published, keeps its meaning for ever; titles are constant per
 * code (JSON:API 1.1, error objects), the detail names the thing.
 */
export const catalog = {
  // The request as HTTP
  'malformed-request': entry(400, 'The request is not well-formed HTTP'),
  'malformed-path': entry(400, 'The path is not well-formed'),
  'malformed-query': entry(400, 'The query string is not well-formed'),
  'not-found': entry(404, 'There is nothing at this address'),
  'method-not-allowed': entry(405, 'This address does not answer this method'),
  'not-acceptable': entry(406, 'None of the accepted media types can be served'),
  'request-timeout': entry(408, 'The request took too long to arrive'),
  'body-too-large': entry(413, 'The body is too large'),
  'unsupported-media-type': entry(415, 'The body is in a media type that is not read here'),
  'unsupported-encoding': entry(415, 'The body is in a content coding that is not read here'),
  'expectation-failed': entry(417, 'The expectation cannot be met'),
  'method-not-implemented': entry(501, 'The method is not known to this service'),

  // Query parameters
  'unknown-parameter': entry(400, 'The query parameter is not known here'),
  'repeated-parameter': entry(400, 'The query parameter is given more than once'),
  'unknown-field': entry(400, 'The field does not exist'),
  'unknown-operator': entry(400, 'The filter operator does not exist'),
  'invalid-value': entry(400, 'The value does not fit'),
  'invalid-filter': entry(400, 'The filter expression cannot be read'),
  'invalid-sort': entry(400, 'The list cannot be sorted by this'),
  'invalid-include': entry(400, 'The path cannot be included'),
  'invalid-page': entry(400, 'The page cannot be read'),
  'invalid-cursor': entry(400, 'The cursor cannot be read'),
  'page-too-large': entry(400, 'The page is larger than allowed'),
  'limit-exceeded': entry(400, 'The request asks for more than one request may'),

  // Bodies
  'empty-body': entry(400, 'The body is empty'),
  'malformed-body': entry(400, 'The body is not well-formed'),
  'malformed-json': entry(400, 'The body is not well-formed JSON'),
  'invalid-document': entry(400, 'The document has the wrong shape'),
  'invalid-relation': entry(400, 'A relation holds identifiers'),
  'unknown-member': entry(422, 'The member does not exist'),
  'invalid-member': entry(422, 'The member does not fit the model'),
  'invalid-id': entry(422, 'The identifier cannot be used'),
  'id-not-allowed': entry(403, 'The identifier is given by the service'),
  'id-mismatch': entry(409, 'The identifier differs from the one in the path'),
  'related-not-found': entry(422, 'The related item does not exist'),

  // State
  'already-exists': entry(409, 'An item with this identifier already exists'),
  'value-taken': entry(409, 'The value is taken by another item'),
  'still-referenced': entry(409, 'Other items still refer to this one'),
  conflict: entry(409, 'The request does not fit the present state'),
  'precondition-failed': entry(412, 'The item has changed'),
  'precondition-required': entry(428, 'A precondition is required'),

  // For middleware and actions
  unauthorized: entry(401, 'Authentication is required'),
  forbidden: entry(403, 'This is not allowed'),
  unprocessable: entry(422, 'The request cannot be carried out'),
  'too-many-requests': entry(429, 'Too many requests'),

  // The service
  'internal-error': entry(500, 'Something went wrong in the service'),
  'store-unavailable': entry(503, 'The store is away for the moment'),
  'shutting-down': entry(503, 'The service is shutting down'),
} as const satisfies Record<string, CatalogEntry>

/** The stable, machine-readable name of an error. */
export type ErrorCode = keyof typeof catalog
