import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What systems take as the path of a socket: macOS 103, Linux 107. Node.js cuts longer ones. */
const maxPathBytes = 103

/** In characters. */
const maxMessageLength = 10_000

/**
 * Where the primary of a module listens to commands: a socket in a folder that only this user can
 * enter.
 * @throws Error if there is no such module, or if another user has made the folder
 */
export function controlSocketOf(module: string): string {
  const name = createHash('sha256').update(realPathOf(module)).digest('hex').slice(0, 24)
  const path = join(privateFolder(process.env.XDG_RUNTIME_DIR || tmpdir()), `${name}.sock`)
  return Buffer.byteLength(path) <= maxPathBytes
    ? path
    : join(privateFolder('/tmp'), `${name}.sock`)
}

/**
 * Runs the function for each `restart` that arrives, and says how it ended.
 * @throws Error if another process listens there
 */
export async function listenToRestarts(
  path: string,
  restart: () => Promise<void>,
): Promise<Server> {
  if (await isListening(path))
    throw new Error('This module runs already; restart it by `resourcery restart`.')
  // A process that was killed has left it.
  rmSync(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const respond = async (): Promise<void> => {
      const command = await textOf(socket)
      if (command !== 'restart') throw new Error("Expected the command 'restart'.")
      await restart()
    }
    socket.on('error', () => socket.destroy())
    respond().then(
      () => socket.end('done'),
      ({ message }: Error) => socket.end(message),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  return server.unref()
}

/**
 * Asks the primary of a module to restart its workers, and waits for the end of that.
 * @throws Error if none listens, or if the restart has failed
 */
export async function requestRestart(path: string): Promise<void> {
  const socket = connect({ path, allowHalfOpen: true })
  socket.end('restart')
  const outcome = await textOf(socket).catch((error: NodeJS.ErrnoException) => {
    throw new Error(connectionFault(error, path), { cause: error })
  })
  if (outcome !== 'done')
    throw new Error(outcome || 'The primary has ended before its processes were replaced.')
}

function connectionFault({ code, message }: NodeJS.ErrnoException, path: string): string {
  // No socket, or that of a process that was killed.
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return 'No primary of this module runs here; expected one that `resourcery start <module> --workers=<n>` has started.'
  return `The primary of this module cannot be reached by the socket '${path}': ${message}.`
}

function realPathOf(module: string): string {
  try {
    return realpathSync(module)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Error(
      code === 'ENOENT'
        ? `There is no module '${module}'; expected the one that 'resourcery start' serves.`
        : `The module '${module}' cannot be read: ${message}.`,
      { cause },
    )
  }
}

async function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** What the other side sends until it ends; what is longer than that is cut. */
function textOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => {
      if (text.length < maxMessageLength) text += chunk
    })
    socket.once('end', () => resolve(text)).once('error', reject)
  })
}

function privateFolder(parent: string): string {
  const user = process.getuid?.() ?? 0
  const folder = join(parent, `resourcery-${user}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (process.getuid !== undefined && (uid !== user || (mode & 0o077) !== 0))
    throw new Error(`The folder ${folder} must belong to this user, and to nobody else (mode 700).`)
  return folder
}
