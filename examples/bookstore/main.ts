import { fileURLToPath } from 'node:url'
import { closeOnSignals, type Server, serve } from 'resourcery/node'
import { bookstore, jsonApiBookstore } from './bookstore.ts'
import { errorsPage } from './errors-page.ts'
import { logged } from './logged.ts'
import { rootPage } from './root-page.ts'
import { seed } from './seed.ts'
import { type Settings, settings } from './settings.ts'

try {
  const server = await start(settings(process.env))
  closeOnSignals(server)
  console.log(`The bookstore is open at ${server.address}`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

async function start({
  host,
  port,
  baseUrl,
  seed: isSeeded,
  log,
  ...others
}: Settings): Promise<Server> {
  const options = { ...others, baseUrl: () => baseUrl ?? server.address }
  const routers = [bookstore(options), jsonApiBookstore(options)]
  for (const router of routers) await router.open()
  if (isSeeded) await seed(routers[0]!, fileURLToPath(new URL('../data', import.meta.url)))
  const services = log ? routers.map((router) => logged(router, console.log)) : routers
  const hosts = baseUrl === undefined ? [] : [new URL(baseUrl).hostname]
  const server = await serve(services, {
    host,
    port,
    ...(hosts.length > 0 && { hosts }),
    fallback: (request) => rootPage(request) ?? errorsPage(request),
  })
  return server
}
