import type { AddressInfo } from 'node:net'
import { errorReporter } from './error-reporter.ts'
import { logStart } from './log/log-start.ts'
import { servedStores } from './log/served-stores.ts'
import { listen } from './node-server.ts'
import type { ServeSettings } from './serve-settings.ts'
import { addressOf, refuseRestart, type Server } from './server.ts'
import type { Service } from './service.ts'
import { serviceHost } from './service-host.ts'

/** Serves from this process, which has the port. */
export async function serveAlone(
  services: readonly Service[],
  settings: ServeSettings,
): Promise<Server> {
  const host = serviceHost(services, settings)
  const { node } = host
  const listenNow = async () => {
    const address = await listen(node, settings, errorReporter(settings.onError))
    host.setAddress(address.address)
    return address
  }
  const early = host.listensDuringStart ? await listenNow() : undefined
  let address: AddressInfo
  try {
    await host.open()
    address = early ?? (await listenNow())
  } catch (error) {
    // Closing what has failed to open may fail, too; the first error says why.
    await host.abandon().catch(settings.onError ?? console.error)
    throw error
  }
  let closed: Promise<void> | undefined
  const server: Server = {
    address: addressOf(address),
    port: address.port,
    role: 'only',
    stores: await servedStores(services, errorReporter(settings.onError)),
    node,
    restart: refuseRestart,
    close() {
      closed ??= host.close()
      return closed
    },
  }
  logStart(settings, server)
  return server
}
