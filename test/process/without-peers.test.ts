import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'without-peers-'))

beforeAll(() => {
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const dependency of ['uuid', 'inflection'])
    symlinkSync(join(root, 'node_modules', dependency), join(folder, 'node_modules', dependency))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The output of a program with the package, but without its optional peer dependencies. */
function run(program: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  })
}

describe('the package without its optional peers', () => {
  it('says that S3 needs aws4fetch when the router is opened', () => {
    const program = `
      const { s3Blobs } = await import('./dist/store/s3/s3-blobs.js')
      const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
      const blobs = s3Blobs({ endpoint: 'http://127.0.0.1:1', bucket: 'b', credentials })
      await blobs.open().catch((error) => console.log(error.message))`
    expect(run(program)).toBe(
      "s3Blobs() needs the package 'aws4fetch'. Run 'npm install aws4fetch'.\n",
    )
  })
  it('says that bearerJwt() needs jose when the first token comes, in the report of a 500', () => {
    const program = `
      const { createRouter } = await import('./dist/index.js')
      const { bearerJwt } = await import('./dist/authentication/public.js')
      const { memory } = await import('./dist/store/memory/memory.js')
      const { rest } = await import('./dist/policy/rest/rest.js')
      const { generateKeyPairSync } = await import('node:crypto')
      const { publicKey } = generateKeyPairSync('ed25519')
      const caller = { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } }
      const router = createRouter({
        policy: rest(),
        store: memory(),
        security: { callerSchema: caller, authentication: [
          bearerJwt({
            issuer: 'i', audience: 'a', algorithms: ['EdDSA'], key: publicKey, caller: () => ({}),
          }),
        ] },
        onError: (error) => console.log(error.message),
      })
      const { model } = await import('./dist/index.js')
      router.prepare(model('book', { title: caller }))
      const headers = { authorization: 'Bearer a.b.c' }
      const response = await router.handle(new Request('http://localhost/books', { headers }))
      console.log(response.status)`
    expect(run(program)).toBe(
      "bearerJwt() needs the package 'jose'. Run 'npm install jose'.\n500\n",
    )
  })
  it('says that PostgreSQL needs pg when the router is opened', () => {
    const program = `
      const { postgresBlobs } = await import('./dist/store/postgres/postgres.js')
      const blobs = postgresBlobs('postgres://127.0.0.1:1/b')
      await blobs.open().catch((error) => console.log(error.message))`
    expect(run(program)).toBe("PostgreSQL needs the package 'pg'. Run 'npm install pg'.\n")
  })
  it.skipIf(process.getBuiltinModule?.('node:sqlite'))(
    'says that SQLite needs its driver when the router is opened, where Node.js has none',
    () => {
      const program = `
      const { createRouter, model } = await import('./dist/index.js')
      const { rest } = await import('./dist/policy/rest/rest.js')
      const { sqlite } = await import('./dist/store/sqlite/sqlite.js')
      for (const options of [{}, { layout: 'tables' }]) {
        const router = createRouter({ policy: rest(), store: sqlite('a.db', options) })
        router.prepare(model('book', {}))
        await router.open().catch((error) => console.log(error.message))
      }`
      const message =
        "SQLite needs the package '@photostructure/sqlite'. Run 'npm install @photostructure/sqlite'.\n"
      expect(run(program)).toBe(message + message)
    },
  )
  it('says what `resourcery check` needs, and how to run it without that', () => {
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, ['dist/tools/cli/resourcery.js', ...args], {
        cwd: folder,
        encoding: 'utf8',
      })
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('check <module or URL>'),
    })
    expect(run('help', 'check')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('resourcery check <module or URL>'),
    })
    expect(run('check', './routers.js', '--run', '3')).toMatchObject({
      status: 2,
      stderr: "Unknown option '--run'. Did you mean '--runs'?\n",
    })
    expect(run('check', './routers.js')).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        "Missing packages for the check. Run 'npm install --save-dev fast-check ajv ajv-formats'.\n",
    })
  })
})
