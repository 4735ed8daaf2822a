import type { Router } from 'resourcery'

/**
 * The router, with a line per request: method, address, status, milliseconds. Control characters
 * are escaped, bodies and headers never shown.
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
