import { problem } from '../../error/problem.ts'
import { problemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'

/** Stands for the services of a server that listens before they are open. */
export const startingService: Service = {
  basePath: '',
  respond: async () =>
    problemResponse(
      [problem('store-unavailable', 'The service is starting. Send the request again later.')],
      503,
      { 'retry-after': '1' },
    ),
}
