import type { Router } from 'resourcery'

/**
 * Adds a log line per request to the router: method, address, status, milliseconds. Control
 * characters are escaped; bodies and headers are never logged.
 */
export function logged(router: Router, write: (line: string) => void): Router {
  return {
    ...router,
    rules: router.rules,
    respond: async (request) => {
      const start = performance.now()
      const response = await router.respond(request)
      const address = JSON.stringify(
        request.query ? `${request.path}?${request.query}` : request.path,
      ).slice(1, -1)
      write(
        `${request.method} ${address} ${response.status} ${(performance.now() - start).toFixed(1)} ms`,
      )
      return response
    },
  }
}
