import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './documentation.ts'

/** The places where a service may have its blobs. */
export const blobPlaces = {
  folder: `fileBlobs(join(data, 'blobs'))`,
  'another file': `sqliteBlobs(join(data, 'blobs.db'))`,
  'the file of the items': `sqliteBlobs(join(data, 'items.db'))`,
} as const

export type BlobPlace = keyof typeof blobPlaces

const cli = join(root, 'dist/tools/cli/resourcery.js')

/** Writes a module that exports a router over the folder that the variable DATA names. */
export function writeService(
  file: string,
  place: BlobPlace,
  layout: 'documents' | 'tables' = 'documents',
): void {
  writeFileSync(
    file,
    `import { join } from 'node:path'
import { createRouter, file, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { rest } from 'resourcery/rest'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import { z } from 'zod'
const data = process.env.DATA
export const router = createRouter({
  policy: rest(),
  store: sqlite(join(data, 'items.db'), { durability: 'normal', layout: '${layout}' }),
  blobs: ${blobPlaces[place]},
  changes: true,
  // Positions stay readable when the process is started again.
  security: { cursorSecret: 'a secret of at least 32 characters' },
})
router.prepare(model('note', { number: z.int(), scan: file({ types: ['text/plain'] }) }))
`,
  )
}

/** The command `resourcery`, with the folder of its data. */
export function spawnCommand(data: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function runCommandLine(data: string, ...args: readonly string[]) {
  const child = spawnCommand(data, ...args)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (text) => {
      output += text
    })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, output }
}

/** Serves the module until `stop` is called. */
export async function startCommandLine(data: string, service: string) {
  const child = spawnCommand(data, 'start', service, '--port', '0')
  const exited = once(child, 'exit')
  let errors = ''
  child.stderr!.on('data', (text) => {
    errors += text
  })
  const line = await Promise.race([once(child.stdout!, 'data'), exited])
  const address = /^Listens at (\S+)/.exec(String(line[0]))?.[1]
  if (address === undefined) throw new Error(`The service did not start: ${errors}`)
  return {
    address,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
    /** Ends the process at once: what it has written stays as it is. */
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
