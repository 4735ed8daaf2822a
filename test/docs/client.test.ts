import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startBookstore } from '../client/services.ts'
import { blocksOf, pageAt, temporaryFolder } from '../support/documentation.ts'

describe('The code of docs/guide/client.md', () => {
  const blocks = blocksOf(pageAt('docs/guide/client.md')).filter(
    ({ language }) => language === 'ts',
  )
  const folder = temporaryFolder('client')
  let server: Server

  beforeAll(async () => {
    server = await startBookstore()
    writeFileSync(join(folder, 'api.ts'), pageAt('test/client/generated/bookstore.ts').text)
    const shop = blocks.find(({ code }) => code.includes('export const api'))!
    writeFileSync(
      join(folder, 'shop.ts'),
      shop.code.replace('http://127.0.0.1:3000', server.address),
    )
  }, 60_000)
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  it.each(blocks.map(({ code }, index) => [index, code] as const))(
    'runs: block %i',
    async (index, code) => {
      const file = join(folder, `block-${index}.ts`)
      writeFileSync(file, code)
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      try {
        await import(file)
        expect(log.mock.calls.flat()).not.toContain(undefined)
      } finally {
        log.mockRestore()
      }
    },
  )
})
