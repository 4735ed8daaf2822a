import { problem } from '../../error/problem.ts'
import { problemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'

/** Responds in place of the services of a server that listens before they are open. */
export const startingService: Service = {
  basePath: '',
  respond: async () =>
    problemResponse(
      [problem('starting', 'The service is starting. Send the request again later.')],
      503,
      { 'retry-after': '1' },
    ),
}
