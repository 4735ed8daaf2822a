import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from '../support/documentation.ts'

const folder = 'examples/bookstore'
const textOf = (name: string) => readFileSync(join(root, folder, name), 'utf8')

/** The instructions of a Dockerfile, with what follows their names. */
const instructions = textOf('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => /^(\w+) +(.*)$/.exec(line)!)
  .map(([, name, rest]) => ({ name: name!, rest: rest! }))
const valuesOf = (name: string) =>
  instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
const listOf = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[]
const startCommand = packageJson.scripts.start.split(' ')
const sourcesOf = (copied: readonly string[]) =>
  copied.flatMap((rest) =>
    rest
      .split(/ +/)
      .filter((word) => !word.startsWith('--'))
      .slice(0, -1),
  )

describe('The Dockerfile of the bookstore', () => {
  it('copies what is there, and what its list of files lets through', () => {
    const [fromStage, fromContext] = [true, false].map((isFromStage) =>
      sourcesOf(valuesOf('COPY').filter((rest) => rest.startsWith('--from') === isFromStage)),
    ) as [string[], string[]]
    const isThere = (path: string) => existsSync(join(root, path))
    expect(fromContext.length).toBeGreaterThan(3)
    expect(fromContext.filter((path) => !isThere(path))).toEqual([])
    const allowed = textOf('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    expect([...allowed].sort()).toEqual([...fromContext].sort())
    expect(fromStage.length).toBeGreaterThan(3)
    expect(fromStage.filter((path) => !isThere(path.replace('/app/', '')))).toEqual([])
  })

  it('builds and starts as the README says, as another user than root', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('npm ci && npm start')
    expect(valuesOf('RUN')).toContain('npm run prestart')
    expect(listOf(valuesOf('CMD')[0]!)).toEqual(startCommand)
    expect(valuesOf('USER')).toEqual(['node'])
    const [, major] = /^node:(\d+)-slim$/.exec(valuesOf('FROM').at(-1)!)!
    // SQLite is built in.
    expect(Number(major)).toBeGreaterThanOrEqual(24)
  })

  it('has a health check that passes while the service is ready, and SIGTERM ends the service', {
    timeout: 60_000,
  }, async () => {
    const [program, ...args] = listOf(valuesOf('CMD')[0]!)
    expect(program).toBe('node')
    const service = spawn(process.execPath, args, {
      cwd: root,
      env: { PORT: '0', DATABASE_URL: 'memory:', SEED: '0', LOG: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(service, 'exit')
    onTestFinished(() => void service.kill('SIGKILL'))
    const [line] = await once(service.stdout, 'data')
    const address = /http:\S+/.exec(String(line))![0]
    const [check, evaluate, script] = listOf(valuesOf('HEALTHCHECK')[0]!)
    expect([check, evaluate]).toEqual(['node', '-e'])
    const exitCode = async (url: string) => {
      const checked = script!.replace('http://127.0.0.1:3000', url)
      expect(checked).not.toBe(script)
      const [code] = await once(spawn(process.execPath, ['-e', checked]), 'exit')
      return code
    }
    expect(await exitCode(address)).toBe(0)
    expect(await exitCode(`${address}/none`)).toBe(1)
    service.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await exitCode(address)).toBe(1)
  })
})

describe('The unit of the bookstore', () => {
  const settings = new Map(
    [...textOf('bookstore.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value!,
    ]),
  )

  it('starts what the README starts, and waits until its requests have ended', () => {
    expect(settings.get('ExecStart')).toBe(
      `/usr/bin/node /opt/resourcery/${startCommand.slice(1).join(' ')}`,
    )
    // `closeOnSignals` gives up after 20 s.
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(20)
  })

  it('writes to its folder only', () => {
    expect(settings.get('ProtectSystem')).toBe('strict')
    expect(settings.get('DynamicUser')).toBe('yes')
    const state = `/var/lib/${settings.get('StateDirectory')}/`
    expect(settings.get('Environment')).toContain(`DATABASE_URL=sqlite:${state}`)
  })
})
