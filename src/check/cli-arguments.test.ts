import { describe, expect, it } from 'vitest'
import { parseCommand } from './cli-arguments.ts'

describe('the arguments of the command', () => {
  it('are a module or a URL, and options', () => {
    const args = ['check', './router.mjs', '--only', 'getBooks,getBook', '--timeout', '50']
    expect(parseCommand([...args, '--header', 'X-Key: a'])).toEqual({
      kind: 'check',
      target: './router.mjs',
      options: { only: ['getBooks', 'getBook'], timeoutMs: 50, headers: { 'x-key': 'a' } },
    })
  })

  it('hold no second module', () => {
    expect(parseCommand(['check', './a.mjs', './b.mjs'])).toEqual({
      kind: 'usage problem',
      message: "Unexpected argument './b.mjs'; expected one module or URL.",
    })
  })

  it.each([
    ['timeout', '0', 1],
    ['runs', '0', 1],
    ['seed', '', 0],
  ])('refuse --%s %j', (name, text, min) => {
    expect(() => parseCommand(['check', './a.mjs', `--${name}=${text}`])).toThrow(
      `--${name} must be an integer of at least ${min}; got '${text}'.`,
    )
  })
})
