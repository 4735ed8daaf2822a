import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

it('SQL is no text for people, but what a store says in sentences is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'messages-'))
  const code = `
    const sql = 'select id from books where title is not null'
    const step = { summary: \`Bring \${countOf(Number(count), 'item')} into the new form.\`, sql }
    const fault = "The table 'books' does not exist."
    throw new Error('no key')
  `
  try {
    mkdirSync(join(folder, 'store/postgres'), { recursive: true })
    writeFileSync(join(folder, 'store/postgres/new.ts'), code)
    expect((await readMessages(folder)).map(({ text }) => text)).toEqual([
      'Bring {count items} into the new form.',
      "The table 'books' does not exist.",
      'no key',
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
    [
      'has no empty words',
      /\b(and yet|at all(?! levels)|as it is|just|simply|please|of course)\b/i,
    ],
  ]
  it.each(isBroken)('%s', (_, pattern) => {
    expect(messages.filter(({ text }) => pattern.test(text)).map(listed)).toEqual([])
  })

  it('has no word that the glossary replaces by another', () => {
    const words = replacedWords().filter((word) => !ordinaryWords.includes(word))
    expect(words).toEqual(expect.arrayContaining(['answer', 'told', 'elsewhere', 'seal']))
    const pattern = new RegExp(String.raw`\b(${words.join('|')})s?\b`, 'i')
    const texts = messages.filter(({ text }) => pattern.test(text.replaceAll(/\{[^}]*\}/g, '')))
    expect(texts.map(listed)).toEqual([])
  })

  it('ends with a full stop or a question mark where it is the whole text of an error', () => {
    const open = messages.filter(({ text, isDetail }) => isDetail && !/[.?}]$/.test(text))
    expect(open.map(listed)).toEqual([])
  })

  it('has at most 240 characters', () => {
    const long = messages.filter(({ text }) => text.length > 240 && !text.includes('\n'))
    expect(long.map(listed)).toEqual([])
  })

  it('stands once, if it is a sentence, or begins one of an error', () => {
    const sentences = messages.filter(
      ({ audience, text }) =>
        /^\S+ .*[.?]$/.test(text) || (audience !== 'document' && /^[A-Z]\S* \S+ \S/.test(text)),
    )
    const repeated = sentences.filter(({ file, text }) =>
      sentences.some((other) => other.text === text && other.file !== file),
    )
    expect(repeated.map(listed)).toEqual([])
  })
})

/** Words that the glossary replaces for one concept, and that messages use for another. */
const ordinaryWords: readonly string[] = [
  ...['form', 'go', 'line', 'mark', 'object', 'once', 'one', 'otherwise', 'parts', 'part'],
  ...['sent', 'side', 'tag', 'through', 'written'],
]

/** The words of the column "not" of the glossary. */
function replacedWords(): readonly string[] {
  const page = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^\|[^|]+\|[^|]+\| ([^|]+) \|$/gm)]
    .flatMap(([, words]) => words!.replaceAll(/ \([^)]*\)/g, '').split(', '))
    .filter((word) => /^[a-z ]+$/i.test(word) && word !== 'not')
}

function listed({ file, text }: { readonly file: string; readonly text: string }): string {
  return `${file}: ${text}`
}
