import type { Router } from '../api/router.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { stateKey } from '../state/state.ts'
import { lookAgainSeconds } from './create-job.ts'
import type { JobModel } from './job-model.ts'

/** Has the job of the request not ended? */
const isPending = stateKey<true>('a job that has not ended')

/** `Retry-After` of a job that has not ended. Others do not learn from it that there is one. */
export function whenToLookAgain(router: Pick<Router, 'items'>, Job: JobModel): Middleware {
  return {
    request: {
      getItem: async ({ id, state }) => {
        const job = id === undefined ? undefined : await router.items(Job).get(id)
        if (job?.endedAt === null) state.set(isPending, true)
      },
    },
    around: async ({ state }, next) => {
      const response = await next()
      const isShown = response.status === 200 || response.status === 304
      if (!isShown || !state.has(isPending)) return response
      const headers = { ...response.headers, 'retry-after': String(lookAgainSeconds) }
      return { ...response, headers }
    },
    declares: { headers: { 'Retry-After': 'Seconds to wait before the next look at the job' } },
  }
}
