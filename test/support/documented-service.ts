import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Block, blocksOf, type Page, temporaryFolder } from './documentation.ts'

/** The address in all pages, whatever service they are about. */
const shownPort = 3000
const shownAddress = `http://127.0.0.1:${shownPort}`

/** A program in plain JavaScript that listens on the port of all pages, and prints its address. */
export function isServer({ language, code }: Block): boolean {
  return language === 'js' && code.includes(`port: ${shownPort}`)
}

/** A `curl` command, when the block after it shows the response. */
export function isRequest({ language, code }: Block, next: Block | undefined): boolean {
  return (
    language === 'sh' &&
    code.startsWith('curl ') &&
    (next?.language === 'json' || next?.language === 'http')
  )
}

/** A line that keeps what a command prints in a variable of the shell, such as a token. */
const assignment = /^(\w+)=\$\((?:curl|node) /gm

/**
 * The page with the real responses to its requests, in order. They go to the service until the page
 * shows a server of its own, and then to that one.
 */
export async function withResponses(page: Page, serviceAddress: string): Promise<string> {
  const blocks = blocksOf(page)
  const folder = temporaryFolder('page')
  let address = serviceAddress
  let server: RunningProgram | undefined
  let text = ''
  let copied = 0
  try {
    for (const [index, block] of blocks.entries()) {
      const response = blocks[index + 1]
      if (isServer(block)) {
        await server?.stop()
        server = await runProgram(block.code, filesIn(blocks.slice(0, index)))
        address = server.address
      } else if (block.language === 'sh' && block.code.match(assignment)) {
        writeFiles(folder, filesIn(blocks.slice(0, index)))
        const names = Array.from(block.code.matchAll(assignment), ([, name]) => name)
        await run(`${block.code}\ndeclare -p ${names.join(' ')} >> variables`, address, folder)
      } else if (response && isRequest(block, response)) {
        const printed = await run(block.code, address, folder)
        const shownBody =
          response.language === 'json' ? formatted(JSON.parse(printed)) : withFormattedBody(printed)
        text += `${page.text.slice(copied, response.start)}${shownBody}\n`
        copied = response.end
      }
    }
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true })
  }
  return text + page.text.slice(copied)
}

async function run(command: string, address: string, cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', `touch variables; . ./variables; ${command.replaceAll(shownAddress, address)}`],
    { cwd },
  )
  return settled(stdout.replaceAll('\r\n', '\n').replaceAll(address, shownAddress))
}

/** Replaces what differs from run to run, and the headers that the host adds to each response. */
function settled(text: string): string {
  return text
    .replaceAll(/("hash":|"version":)"(?:[\w-]{43}|[\da-f]{64})"/g, '$1"…"')
    .replaceAll(/^(etag: (?:W\/)?)"[^"]*"$/gm, '$1"…"')
    .replaceAll(/("size":)\d+/g, '$14711')
    .replaceAll(
      /\b[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}\b/g,
      '01981f2e-5d4c-7b3a-9f10-6c2e8d4b7a55',
    )
    .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z\b/g, (time) =>
      Math.abs(Date.now() - Date.parse(time)) < dayMs ? '2026-01-31T12:00:00.123Z' : time,
    )
    .replaceAll(/(after%5D=)[\w-]+/g, '$1…')
    .replaceAll(/\b([a-z]+_)[\da-f]{12}(_[\w-]{43})?(?=")/g, (_, prefix, secret) =>
      secret ? `${prefix}1f0c2a9b84de_…` : `${prefix}1f0c2a9b84de`,
    )
    .replaceAll(/^(?:content-length|date|connection|keep-alive|transfer-encoding):.*\n/gim, '')
}

const dayMs = 24 * 60 * 60 * 1_000

function withFormattedBody(printed: string): string {
  const [head = '', ...body] = printed.split('\n\n')
  const text = body.join('\n\n').trim()
  return /^content-type: application\/(?:[\w.]+\+)?json/m.test(head) && text.startsWith('{')
    ? `${head}\n\n${formatted(JSON.parse(text))}`
    : `${head}\n${text && `\n${text}`}`.trimEnd()
}

const lineWidth = 96

/** JSON formatted for reading: what fits into a line is on one. */
function formatted(value: unknown, indent = ''): string {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth)
    return line
  const inner = `${indent}  `
  const members = Array.isArray(value)
    ? value.map((element) => formatted(element, inner))
    : Object.entries(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${formatted(member, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`,
  )
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

interface RunningProgram {
  readonly address: string
  stop(): Promise<void>
}

/** Modules that begin with a comment with their name, for programs that import them. */
function filesIn(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const names = blocks.map(({ language, code }) => [
    /^\/\/ ([\w-]+\.mjs)$/m.exec(language === 'js' ? code : '')?.[1],
    code,
  ])
  return new Map(names.flatMap(([name, code]) => (name && code ? [[name, code] as const] : [])))
}

function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

/** Runs the program with bare Node.js in a folder of its own, on a free port. */
async function runProgram(
  code: string,
  files: ReadonlyMap<string, string>,
): Promise<RunningProgram> {
  const folder = temporaryFolder('program')
  writeFiles(folder, files)
  writeFileSync(join(folder, 'server.mjs'), code.replaceAll(`port: ${shownPort}`, 'port: 0'))
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true })
  }
  try {
    return { address: await printedAddress(child), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function printedAddress(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const [address] = /http:\/\/[\w.]+:\d+/.exec(output) ?? []
      if (address) resolve(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (status) =>
      reject(new Error(`The program ended with ${status}:\n${output}`)),
    )
  })
}
