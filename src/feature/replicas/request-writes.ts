import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { CallerWrites, WritePositions } from '../../store/store-call.ts'

const ownErrors = ['malformed-request'] as const

const { refuse } = refusalsOf(ownErrors)

/** The header of requests and responses that holds a write position. */
const positionHeader = 'resourcery-position'

/**
 * What a request has written, and what its client has written before, as the header of the request
 * says. A commit sets the header of the response.
 *
 * @throws ApiError `malformed-request` for a header that no response has
 */
export function requestWrites(
  positions: WritePositions,
  { headers }: ApiRequest,
  setHeader: (name: string, value: string) => void,
): CallerWrites {
  const knownPosition = headers[positionHeader]
  if (knownPosition !== undefined && !positions.isValid(knownPosition))
    throw refuse(
      'malformed-request',
      `Expected the 'Resourcery-Position' of a response; got '${truncate(knownPosition)}'.`,
      { header: 'Resourcery-Position' },
    )
  return new RequestWrites(knownPosition, setHeader)
}

class RequestWrites implements CallerWrites {
  readonly knownPosition: string | undefined
  readonly #setHeader: (name: string, value: string) => void
  hasCommitted = false

  constructor(knownPosition: string | undefined, setHeader: (name: string, value: string) => void) {
    this.knownPosition = knownPosition
    this.#setHeader = setHeader
  }

  committed(position: string | undefined): void {
    this.hasCommitted = true
    if (position !== undefined) this.#setHeader(positionHeader, position)
  }
}
