import { describe, expect, it, vi } from 'vitest'
import { command, UsageError } from './command.ts'
import { runCommand } from './run-command.ts'

const run = vi.fn(async (_given: object) => 7)
const greet = command({
  name: 'greet',
  synopsis: 'greet <name>',
  summary: 'says hello',
  usage: 'resourcery greet <name>\n\nSays hello.',
  options: { loud: { type: 'boolean' } },
  run,
})

async function runWith(...args: readonly string[]) {
  const printed: string[] = []
  const errors: string[] = []
  const exitCode = await runCommand([greet], args, {
    print: (text) => printed.push(text),
    printError: (text) => errors.push(text),
  })
  return { exitCode, printed: printed.join('\n'), errors: errors.join('\n') }
}

describe('the command line', () => {
  it('runs the command that it names, with its options, and exits with its code', async () => {
    expect(await runWith('greet', 'Ada', '--loud')).toEqual({
      exitCode: 7,
      printed: '',
      errors: '',
    })
    expect(run).toHaveBeenLastCalledWith({
      values: expect.objectContaining({ loud: true }),
      positionals: ['Ada'],
    })
  })

  it.each([['help'], ['--help']])('lists the commands after %s', async (name) => {
    const { exitCode, printed } = await runWith(name)
    expect({ exitCode, printed }).toEqual({
      exitCode: 0,
      printed: expect.stringContaining('greet <name>\n      says hello'),
    })
  })

  it.each([
    ['help', 'greet'],
    ['greet', '--help'],
  ])('prints the usage of a command after %s %s', async (...args) => {
    expect(await runWith(...args)).toMatchObject({
      exitCode: 0,
      printed: 'resourcery greet <name>\n\nSays hello.',
    })
  })

  it.each([
    [[], 'Missing command; expected one of greet, help.'],
    [['gret'], "Unknown command 'gret'. Did you mean 'greet'?"],
    [['help', 'gret'], "Unknown command 'gret'. Did you mean 'greet'?"],
  ])('answers %j with what it expects', async (args, message) => {
    const { exitCode, errors } = await runWith(...args)
    expect(exitCode).toBe(2)
    expect(errors).toMatch(new RegExp(`^${message.replaceAll(/[?.]/g, '\\$&')}\n\nresourcery`))
  })

  it('suggests an option', async () => {
    expect(await runWith('greet', '--lou')).toEqual({
      exitCode: 2,
      printed: '',
      errors: "Unknown option '--lou'. Did you mean '--loud'?",
    })
  })

  it('prints the usage below wrong arguments, and only the message of other errors', async () => {
    run.mockRejectedValueOnce(new UsageError('No name.'))
    expect((await runWith('greet')).errors).toBe(`No name.\n\n${greet.usage}`)
    run.mockRejectedValueOnce(new Error('Nobody is there.'))
    expect((await runWith('greet')).errors).toBe('Nobody is there.')
  })
})
