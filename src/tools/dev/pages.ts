import type { Router } from '../../index.ts'

/** The paths of pages for people that the routers have: documentation, and start pages. */
export async function pagesOf(routers: readonly Router[]): Promise<readonly string[]> {
  const pages = routers.flatMap((router) =>
    [`${router.basePath}/docs`, ...(router.hasStartPage ? [router.basePath || '/'] : [])].map(
      async (path) => ((await isPage(router, path)) ? [path] : []),
    ),
  )
  return (await Promise.all(pages)).flat()
}

async function isPage(router: Router, path: string): Promise<boolean> {
  const request = new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } })
  const response = await router.handle(request)
  await response.body?.cancel()
  return response.headers.get('content-type')?.startsWith('text/html') === true
}
