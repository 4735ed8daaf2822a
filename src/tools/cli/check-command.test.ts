import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkCommand, readCheckOptions } from './check-command.ts'

describe('the options of resourcery check', () => {
  it('become options of the check', () => {
    const values = { only: 'getBooks,getBook', timeout: '50', header: ['X-Key: a'] }
    expect(readCheckOptions(values)).toEqual({
      only: ['getBooks', 'getBook'],
      timeoutMs: 50,
      headers: { 'x-key': 'a' },
    })
  })

  it.each([
    ['timeout', '0', 1],
    ['runs', '0', 1],
    ['seed', '', 0],
  ])('refuse --%s %j', (name, text, min) => {
    expect(() => readCheckOptions({ [name]: text })).toThrow(
      `--${name} must be an integer of at least ${min}; got '${text}'.`,
    )
  })
})

describe('resourcery check', () => {
  it('names the caller whose credential is refused', async () => {
    const server = createServer((_, response) => response.writeHead(401).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
    const checkAs = (callers: string) =>
      checkCommand.run({ values: { as: [callers] } as never, positionals: [address] })
    await expect(checkAs('ada=wrong,anonymous')).rejects.toThrow(
      `As 'ada': The credential is refused (401) at ${address}.`,
    )
    await expect(checkAs('anonymous,ada=wrong')).rejects.toThrow('Expected an OpenAPI document')
  })

  it.each([
    [[], 'Missing argument; expected one module or URL.'],
    [['./a.mjs', './b.mjs'], "Unexpected argument './b.mjs'; expected one module or URL only."],
  ])('refuses the arguments %j', async (positionals, message) => {
    await expect(checkCommand.run({ values: {}, positionals })).rejects.toThrow(message)
  })
})
