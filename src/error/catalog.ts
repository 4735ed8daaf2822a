/** The status and title of an error code. The detail is written where the error occurs. */
export interface CatalogEntry {
  readonly status: number
  readonly title: string
}

/**
 * Every error that the service can respond with. A published code never changes its meaning. The
 * title is the same for every error with a code (JSON:API 1.1, error objects).
 *
 * ```ts
 * errorCatalog['not-found'].status // 404
 * ```
 */
export const errorCatalog = {
  // The request as HTTP
  'malformed-request': { status: 400, title: 'Malformed HTTP request' },
  'invalid-preference': { status: 400, title: 'Invalid preference' },
  'malformed-path': { status: 400, title: 'Malformed path' },
  'malformed-query': { status: 400, title: 'Malformed query string' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'body-too-large': { status: 413, title: 'Body too large' },
  'item-too-large': { status: 413, title: 'Item too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'unsupported-encoding': { status: 415, title: 'Unsupported content encoding' },
  'range-not-satisfiable': { status: 416, title: 'Range not satisfiable' },
  'misdirected-request': { status: 421, title: 'Misdirected request' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'method-not-implemented': { status: 501, title: 'Method not implemented' },
  'transfer-coding-not-implemented': { status: 501, title: 'Transfer coding not implemented' },

  // Query parameters
  'unknown-parameter': { status: 400, title: 'Unknown query parameter' },
  'repeated-parameter': { status: 400, title: 'Repeated query parameter' },
  'unknown-field': { status: 400, title: 'Unknown field' },
  'unknown-operator': { status: 400, title: 'Unknown filter operator' },
  'invalid-value': { status: 400, title: 'Invalid value' },
  'invalid-filter': { status: 400, title: 'Invalid filter' },
  'invalid-sort': { status: 400, title: 'Invalid sort' },
  'invalid-aggregate': { status: 400, title: 'Invalid aggregate' },
  'invalid-include': { status: 400, title: 'Invalid include path' },
  'invalid-page': { status: 400, title: 'Invalid page' },
  'invalid-cursor': { status: 400, title: 'Invalid cursor' },
  'page-too-large': { status: 400, title: 'Page too large' },
  'limit-exceeded': { status: 400, title: 'Limit exceeded' },

  // Changes
  'invalid-position': { status: 400, title: 'Invalid position' },
  'changes-not-decidable': { status: 400, title: 'Changes cannot be decided' },
  'changes-expired': { status: 410, title: 'Changes expired' },

  // Requests that may be repeated
  'invalid-idempotency-key': { status: 400, title: 'Invalid Idempotency-Key' },
  'idempotency-key-required': { status: 400, title: 'Idempotency-Key required' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency-Key reused' },
  'response-not-kept': { status: 409, title: 'Response not kept' },

  // Bodies
  'empty-body': { status: 400, title: 'Empty body' },
  'malformed-json': { status: 400, title: 'Malformed JSON' },
  'malformed-csv': { status: 400, title: 'Malformed CSV' },
  'unknown-column': { status: 400, title: 'Unknown column' },
  'malformed-multipart': { status: 400, title: 'Malformed multipart body' },
  'missing-part': { status: 400, title: 'Missing file part' },
  'unknown-part': { status: 400, title: 'Unknown form part' },
  'repeated-part': { status: 400, title: 'Repeated form part' },
  'invalid-digest': { status: 400, title: 'Invalid digest' },
  'digest-mismatch': { status: 400, title: 'Digest mismatch' },
  'content-mismatch': { status: 415, title: 'Content does not match its media type' },
  'invalid-document': { status: 400, title: 'Invalid document' },
  'invalid-relation': { status: 400, title: 'Invalid relation' },
  'invalid-resource': {
    status: 400,
    title: 'Binary resource cannot be set in an item',
  },
  'unknown-member': { status: 422, title: 'Unknown member' },
  'invalid-member': { status: 422, title: 'Invalid member' },
  'invalid-id': { status: 422, title: 'Invalid id' },
  'id-not-allowed': { status: 403, title: 'Client-generated id not allowed' },
  'id-mismatch': { status: 409, title: 'Id mismatch' },
  'related-not-found': { status: 422, title: 'Related item does not exist' },
  'related-missing': { status: 404, title: 'Related item not found' },
  'type-mismatch': { status: 409, title: 'Type mismatch' },
  'image-too-large': { status: 422, title: 'Image too large' },
  'invalid-input': { status: 422, title: 'Invalid action input' },
  'invalid-outcome': { status: 422, title: 'Invalid action result' },

  // State
  'already-exists': { status: 409, title: 'Item already exists' },
  'value-taken': { status: 409, title: 'Value not unique' },
  'still-referenced': { status: 409, title: 'Item still referenced' },
  conflict: { status: 409, title: 'Conflict' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'precondition-required': { status: 428, title: 'Precondition required' },

  // For middleware and actions
  unauthorized: { status: 401, title: 'Authentication required' },
  'invalid-credentials': { status: 401, title: 'Invalid credentials' },
  'insufficient-scope': { status: 403, title: 'Insufficient scope' },
  'cross-site-request': { status: 403, title: 'Cross-site request refused' },
  forbidden: { status: 403, title: 'Forbidden' },
  'operation-refused': { status: 403, title: 'Batch operation refused' },
  unprocessable: { status: 422, title: 'Unprocessable request' },
  'too-many-requests': { status: 429, title: 'Too many requests' },

  // The service
  'internal-error': { status: 500, title: 'Internal error' },
  overloaded: { status: 503, title: 'Service overloaded' },
  'authentication-unavailable': { status: 503, title: 'Authentication unavailable' },
  'validation-timeout': { status: 503, title: 'Validation timeout' },
  'hook-timeout': { status: 503, title: 'Hook timeout' },
  'query-timeout': { status: 503, title: 'Query timeout' },
  'store-unavailable': { status: 503, title: 'Storage unavailable' },
  'outcome-unknown': { status: 503, title: 'Outcome unknown' },
  starting: { status: 503, title: 'Service starting' },
  'shutting-down': { status: 503, title: 'Service shutting down' },
} as const

/** The stable, machine-readable name of an error. */
export type ErrorCode = keyof typeof errorCatalog
