import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { QueryEntry } from '../../http/query-string.ts'
import type { Limits } from '../limits.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import type { Page } from '../selection.ts'
import { documentedPages } from './page-document.ts'

const members = ['size', 'number', 'after', 'before', 'limit', 'offset'] as const
type Member = (typeof members)[number]

/** The three ways to page: by number, by offset and limit, and by cursor. */
const families: readonly { readonly kind: Exclude<Page['kind'], 'none'>; readonly members: readonly Member[] }[] = [
  { kind: 'number', members: ['number', 'size'] },
  { kind: 'offset', members: ['offset', 'limit'] },
  { kind: 'cursor', members: ['after', 'before', 'size'] },
]

/** `page[size]` with `page[number]`, or with `page[after]` and `page[before]`; or `page[limit]` with `page[offset]`. */
export function pageParameter(limits: Limits): Parameter {
  return {
    families: ['page'],
    documented: () => documentedPages(limits),
    errors: ['invalid-page', 'page-too-large', 'limit-exceeded', 'invalid-cursor'],
    read: (entries) => {
      const problems: Problem[] = []
      const page = readPage(entries, limits, problems)
      return page && problems.length === 0 ? read({ page }) : refused(problems)
    },
  }
}

function readPage(entries: readonly QueryEntry[], limits: Limits, problems: Problem[]): Page | undefined {
  const given = new Map<Member, string>()
  for (const { key, path, value } of entries) {
    const member = members.find((one) => one === path[0])
    if (path.length === 1 && member) given.set(member, value)
    else problems.push(unknownMember(key, path))
  }
  const family = families.find((one) => [...given.keys()].every((member) => one.members.includes(member)))
  if (!family)
    problems.push(
      problem(
        'invalid-page',
        `${named(given)} do not go together; page by number and size, by offset and limit, or by cursors and size.`,
        { parameter: `page[${[...given.keys()].at(-1)}]` },
      ),
    )
  if (!family || problems.length > 0) return undefined
  return pageOf(
    given.has('number') ? 'number' : family.kind === 'number' ? 'cursor' : family.kind,
    given,
    limits,
    problems,
  )
}

function pageOf(
  kind: Exclude<Page['kind'], 'none'>,
  given: ReadonlyMap<Member, string>,
  limits: Limits,
  problems: Problem[],
): Page {
  const whole = (member: Member, least: number, most: number, unless: number) =>
    wholeNumber(`page[${member}]`, given.get(member), { least, most }, problems) ?? unless
  // What lies between two places is wanted whole, as far as that goes (Cursor Pagination profile, range pagination).
  const isRange = given.has('after') && given.has('before')
  const usual = isRange ? limits.maxPageSize : limits.pageSize
  const member = kind === 'offset' ? 'limit' : 'size'
  const size = pageSize(`page[${member}]`, given.get(member), limits, problems) ?? usual
  switch (kind) {
    case 'number':
      return { kind, size, number: whole('number', 1, Math.floor(limits.maxOffset / Math.max(size, 1)) + 1, 1) }
    case 'offset':
      return { kind, size, offset: whole('offset', 0, limits.maxOffset, 0) }
    case 'cursor':
      return { kind, size, after: given.get('after'), before: given.get('before') }
  }
}

/** How many items a page holds; undefined where nothing fit was said. */
export function pageSize(
  parameter: string,
  text: string | undefined,
  { maxPageSize: most }: Limits,
  problems: Problem[],
): number | undefined {
  if (!isBeyond(text, most)) return wholeNumber(parameter, text, { least: 1, most }, problems)
  problems.push(problem('page-too-large', `${parameter} is ${most} at most.`, { parameter }, { limit: most }))
  return undefined
}

function wholeNumber(
  parameter: string,
  text: string | undefined,
  { least, most }: { readonly least: number; readonly most: number },
  problems: Problem[],
): number | undefined {
  if (text === undefined) return undefined
  const value = digits.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  if (value > most) {
    const detail = `${parameter} is ${most} at most; cursors (page[after]) reach further.`
    problems.push(problem('limit-exceeded', detail, { parameter }, { limit: most }))
  } else {
    const detail = `${parameter} must be a whole number from ${least} to ${most}, not '${shortened(text)}'.`
    problems.push(problem('invalid-page', detail, { parameter }))
  }
  return undefined
}

function isBeyond(text: string | undefined, most: number): boolean {
  return text !== undefined && digits.test(text) && Number(text) > most
}

const digits = /^\d+$/

function unknownMember(key: string, path: readonly string[]): Problem {
  const detail = `There is no parameter '${shortened(key)}'; pages are asked for by ${members.map((one) => `page[${one}]`).join(', ')}.`
  return problem(path.length === 0 ? 'invalid-page' : 'unknown-parameter', detail, { parameter: key })
}

function named(given: ReadonlyMap<Member, string>): string {
  return [...given.keys()].map((member) => `page[${member}]`).join(' and ')
}
