import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messagesDocument, readMessages } from '../../scripts/messages-document.mjs'

const messages = await readMessages()

it('docs/messages.md lists the texts of the code; npm run messages writes it', () => {
  expect(readFileSync(new URL('../../docs/messages.md', import.meta.url), 'utf8')).toBe(
    messagesDocument(messages),
  )
})

it('a text belongs to the readers of the error or description that it stands in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'messages-'))
  const code = `
    const count: number = 3
    refuse('conflict', \`Found \${count} items of '\${truncate(name)}'.\`)
    throw new TypeError('Expected an object' + (isList ? ', got a list.' : '.'))
    export const operation = { summary: 'List', select: 'application/json; charset=utf-8' }
    const reason = isOpen ? 'it is open' : 'closed'
  `
  try {
    writeFileSync(join(folder, 'new.ts'), code)
    expect(await readMessages(folder)).toEqual([
      {
        file: 'new.ts',
        audience: 'clients',
        text: "Found {count} items of '{name}'.",
        isDetail: true,
      },
      { file: 'new.ts', audience: 'developers', text: 'Expected an object', isDetail: false },
      { file: 'new.ts', audience: 'developers', text: ', got a list.', isDetail: false },
      { file: 'new.ts', audience: 'document', text: 'List', isDetail: false },
      { file: 'new.ts', audience: 'clients', text: 'it is open', isDetail: false },
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('A text for people', () => {
  const isBroken: readonly (readonly [rule: string, pattern: RegExp])[] = [
    ['says "is not a …" instead of "is no …"', /(?<!there )\b(is|are) no\b/i],
    ['has single spaces', /\S {2,}\S(?!.*\n)/],
    ['says what is expected after a semicolon', /\. expected|[^;,:] got /i],
    [
      'gives advice in a sentence of its own',
      /; (try|send|fetch|write|use|set|pass|remove|rename) /,
    ],
    ['has no dash between sentences', /[–—]| -- /],
    ['has no private words', /\b(told|elsewhere|fault|misfit|stray|strays|seal|answers?|thing)\b/i],
    [
      'has no empty words',
      /\b(and yet|at all(?! levels)|as it is|just|simply|please|of course)\b/i,
    ],
  ]
  it.each(isBroken)('%s', (_, pattern) => {
    expect(messages.filter(({ text }) => pattern.test(text)).map(listed)).toEqual([])
  })

  it('ends with a full stop or a question mark where it is the whole text of an error', () => {
    const open = messages.filter(({ text, isDetail }) => isDetail && !/[.?}]$/.test(text))
    expect(open.map(listed)).toEqual([])
  })

  it('has at most 240 characters', () => {
    const long = messages.filter(({ text }) => text.length > 240 && !text.includes('\n'))
    expect(long.map(listed)).toEqual([])
  })

  it('stands once, if it is a sentence', () => {
    const sentences = messages.filter(({ text }) => /^\S+ .*[.?]$/.test(text))
    const repeated = sentences.filter(({ file, text }) =>
      sentences.some((other) => other.text === text && other.file !== file),
    )
    expect(repeated.map(listed)).toEqual([])
  })
})

function listed({ file, text }: { readonly file: string; readonly text: string }): string {
  return `${file}: ${text}`
}
