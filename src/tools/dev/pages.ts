import type { Router } from '../../index.ts'

/** The paths of pages for people that the routers have: documentation, and start pages. */
export async function pagesOf(routers: readonly Router[]): Promise<readonly string[]> {
  const paths = routers.flatMap(({ basePath, hasStartPage }) => [
    `${basePath}/docs`,
    ...(hasStartPage ? [basePath || '/'] : []),
  ])
  const isPage = await Promise.all(
    paths.map(async (path) => {
      const router = routers.find(({ basePath }) => path.startsWith(basePath))
      const request = new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } })
      const response = await router?.handle(request)
      await response?.body?.cancel()
      return response?.headers.get('content-type')?.startsWith('text/html') === true
    }),
  )
  return paths.filter((_, index) => isPage[index])
}
