import { resolve as resolvePath } from 'node:path'
import { pathToFileURL } from 'node:url'
import { closeOnSignals, type ServeOptions, type Server, serve } from '../../adapter/node.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command, type ParsedArguments } from './command.ts'
import { controlSocketOf, listenToRestarts } from './control-socket.ts'
import { expectPositionals, parseInteger } from './parse-arguments.ts'

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  workers: { type: 'string' },
} as const

const defaultPort = 3_000

/** `resourcery start`: serves the routers of a module, from one process or several. */
export const startCommand: Command = command({
  name: 'start',
  synopsis: 'start <module>',
  summary: 'serves the routers of a module, from one process or several',
  usage: `resourcery start <module>

Serves the routers that a module exports. Expects a module that does not serve them. If it exports
'serveOptions', these are the options of serve(), and those below replace them.
SIGTERM and SIGINT end it when its requests have their responses. With --workers, SIGHUP and
'resourcery restart' replace its processes without a failed request.

  --port <n>         the port (the variable PORT, or 3000)
  --host <address>   the address to listen on (127.0.0.1)
  --workers <n>      serves from so many processes; 'auto' for one on each core (this one)
`,
  options,
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const routers = await importRouters(file)
    const exported = await exportedOptions(file)
    const server = await serve(routers, { ...exported, ...readServeOptions(values, exported) })
    const control = server.role === 'primary' ? await listenOrClose(file, server) : undefined
    if (server.role !== 'worker') console.log(`Listens at ${server.address}`)
    await new Promise<void>((resolve) => {
      closeOnSignals(server, { onClose: resolve })
    })
    control?.close()
    return 0
  },
})

/** What the module exports besides its routers. The module is loaded already. */
async function exportedOptions(file: string): Promise<ServeOptions> {
  const { serveOptions = {} } = await import(pathToFileURL(resolvePath(file)).href)
  return serveOptions
}

/** @throws Error for an option with an invalid value */
function readServeOptions(
  { port, host, workers }: ParsedArguments<typeof options>['values'],
  exported: ServeOptions,
): ServeOptions {
  const { PORT } = process.env
  return {
    port:
      port === undefined
        ? (exported.port ?? (PORT ? parseInteger('port', PORT, 0) : defaultPort))
        : parseInteger('port', port, 0),
    ...(host !== undefined && { host }),
    ...(workers !== undefined && {
      workers: workers === 'auto' ? workers : parseInteger('workers', workers, 1),
    }),
  }
}

async function listenOrClose(file: string, server: Server): Promise<{ close(): void }> {
  try {
    return await listenToRestarts(controlSocketOf(file), () => server.restart())
  } catch (error) {
    await server.close()
    throw error
  }
}
