import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { type LogEntry, type ServeOptions, type Server, serve } from '../../adapter/node.ts'
import { printRules, type Router } from '../../index.ts'
import { prepareTypeScript } from '../type-script.ts'
import type { RunnerCommand, RunnerNotice, TypedOptions } from './dev-messages.ts'
import { errorText, hasHiddenPlace } from './error-text.ts'
import { watchImports } from './imported-files.ts'
import { pagesOf } from './pages.ts'

/** Loads what a file serves, with where it listens. */
export type LoadService = (
  file: string,
  typed: TypedOptions,
) => Promise<{ readonly routers: readonly Router[]; readonly options: ServeOptions }>

/**
 * Serves one version of a file, in a process that `resourcery dev` has started. The process loads
 * packages first, and waits there for its file, so that a start takes no longer than the file does.
 * Its connections come from the parent process, which has the port.
 */
export async function runService(load: LoadService): Promise<void> {
  let server: Server | undefined
  // Ctrl-C reaches all processes of a terminal; the parent says when this one ends.
  process.on('SIGINT', () => undefined)
  process.on('disconnect', close)
  // A parent that has ended while this process started is not noticed otherwise.
  if (!process.connected) process.exit()
  const readImports = await watchImports()
  process.on('message', (command: RunnerCommand, socket?: Socket) => {
    switch (command.kind) {
      case 'prepare':
        return void prepare(command.file, command.packages)
      case 'run':
        return void run(command.file, command.typed)
      case 'connection':
        return socket && receive(socket)
      case 'close':
        return close()
    }
  })

  async function prepare(file: string, packages: readonly string[]): Promise<void> {
    // What fails is said when the file imports it.
    await Promise.allSettled(packages.map((url) => import(url)))
    // Packages need no TypeScript, and load in half of the time without it.
    await prepareTypeScript(file)
    send({ kind: 'prepared' })
  }

  async function run(file: string, typed: TypedOptions): Promise<void> {
    try {
      const { routers, options } = await load(file, typed).finally(sendImports)
      const { port = 0, host = '127.0.0.1' } = options
      server = await serve(routers, ownOptions(options, host))
      // The parent process has the port. `close` of node:http would end its timers, too.
      NetServer.prototype.close.call(server.node)
      send({
        kind: 'serving',
        facts: { port, host, stores: server.stores, routes: routers.flatMap(routesOf) },
      })
      send({ kind: 'pages', paths: await pagesOf(routers) })
    } catch (error) {
      fail(file, error)
    }
  }

  function sendImports(): void {
    send({ kind: 'imports', imports: readImports() })
  }

  function receive(socket: Socket): void {
    socket.allowHalfOpen = true
    if (server) server.node.emit('connection', socket)
    else socket.destroy()
  }

  function close(): void {
    // After the responses under way. What the module itself has opened ends with the process.
    const closing = server ? server.close() : Promise.resolve()
    closing.catch((error) => console.error(error)).finally(() => process.exit())
  }
}

/** Where it listens itself is for nobody, and ends at once. */
function ownOptions(options: ServeOptions, host: string): ServeOptions {
  const { workers: _, ...alone } = options
  const isLoopback = /^(?:127\.|localhost$|::1$)/.test(host)
  return {
    log: { to: printRequest, withPath: true },
    ...(!isLoopback && { hosts: 'any' }),
    ...alone,
    host: '127.0.0.1',
    port: 0,
  }
}

function printRequest({ time, status, method, path, route, durationMs, code }: LogEntry): void {
  const timeOfDay = new Date(time).toTimeString().slice(0, 8)
  const parts = [timeOfDay, status ?? '---', method, path ?? route ?? '-', `${durationMs} ms`, code]
  console.log(parts.filter((part) => part !== undefined).join('  '))
}

function routesOf({ basePath, rules }: Router): readonly string[] {
  return printRules(rules.map((rule) => ({ ...rule, path: `${basePath}${rule.path}` }))).split('\n')
}

function fail(file: string, error: unknown): void {
  console.error(`\n${file} does not run:\n`)
  if (!hasHiddenPlace(error)) {
    console.error(errorText(error))
    process.exitCode = 1
    process.disconnect()
    // Standard error may be a pipe, which needs a moment.
    setImmediate(() => process.exit())
    return
  }
  const { cause } = error as { readonly cause: SyntaxError }
  cause.stack = `${cause.name}: ${cause.message}`
  setImmediate(() => {
    throw cause
  })
}

function send(notice: RunnerNotice): void {
  if (process.connected) process.send?.(notice, undefined, undefined, () => undefined)
}
