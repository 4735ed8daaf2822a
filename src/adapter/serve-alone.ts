import { errorReporter } from './error-reporter.ts'
import { listen } from './node-server.ts'
import type { ServeOptions } from './serve-options.ts'
import { addressOf, refuseRestart, type Server } from './server.ts'
import type { Service } from './service.ts'
import { serviceHost } from './service-host.ts'

/** Serves from this process, which has the port. */
export async function serveAlone(
  services: readonly Service[],
  options: ServeOptions,
): Promise<Server> {
  const host = serviceHost(services, options)
  const { node } = host
  const listenNow = async () => {
    const { port = 0, host: name = '127.0.0.1' } = options
    const bound = await listen(node, port, name, errorReporter(options.onError))
    host.setAddress(bound.address)
    return bound
  }
  const early = host.listensDuringStart ? await listenNow() : undefined
  try {
    await host.open()
  } catch (error) {
    if (early) await host.abandon()
    throw error
  }
  const bound = early ?? (await listenNow())
  let closed: Promise<void> | undefined
  return {
    address: addressOf(bound),
    port: bound.port,
    role: 'only',
    node,
    restart: refuseRestart,
    close() {
      closed ??= host.close()
      return closed
    },
  }
}
