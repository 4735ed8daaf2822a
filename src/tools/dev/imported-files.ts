import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { isOfPackage } from '../package-folder.ts'
import type { Imports } from './dev-messages.ts'
import type { SeenImport } from './import-hooks.ts'

/** Since Node.js 22.15, hooks run in the thread of the modules, and see `require`, too. */
interface SyncHooks {
  registerHooks?(hooks: object): unknown
}

/**
 * Watches which modules this process imports from now on.
 * @returns what was imported so far
 */
export async function watchImports(): Promise<() => Imports> {
  const seen: SeenImport[] = []
  const read = await registerHooks((entry) => seen.push(entry))
  return () => {
    read()
    const files = new Set(requiredFiles())
    const packages = new Set<string>()
    for (const { url, parentUrl } of seen) {
      if (isOwnFile(url)) files.add(pathOf(url))
      else if (url.startsWith('file:') && isOwnFile(parentUrl ?? '')) packages.add(url)
    }
    return { files: [...files], packages: [...packages] }
  }
}

async function registerHooks(add: (entry: SeenImport) => void): Promise<() => void> {
  const { registerHooks: registerSync } = nodeModule as SyncHooks
  if (registerSync) {
    const { syncHooks } = await import('./import-hooks.ts')
    registerSync(syncHooks(add))
    return () => undefined
  }
  const { port1, port2 } = new MessageChannel()
  nodeModule.register('./import-hooks.js', import.meta.url, {
    data: { port: port2 },
    transferList: [port2],
  })
  port1.unref()
  return () => {
    let received = receiveMessageOnPort(port1)
    while (received) {
      add(received.message as SeenImport)
      received = receiveMessageOnPort(port1)
    }
  }
}

/** CommonJS modules, of which hooks of imports see the first one only. */
function requiredFiles(): readonly string[] {
  const { cache } = nodeModule.createRequire(import.meta.url)
  return Object.keys(cache)
    .map((path) => path.replace(/\?.*$/, ''))
    .filter((path) => !isOfPackage(path))
}

function isOwnFile(url: string): boolean {
  return url.startsWith('file:') && !isOfPackage(url)
}

/** Loaders add queries to the URLs of files, so that a file can be evaluated anew. */
function pathOf(url: string): string {
  const parsed = new URL(url)
  parsed.search = ''
  parsed.hash = ''
  return fileURLToPath(parsed)
}
