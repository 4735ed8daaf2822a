import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { Page } from '../selection.ts'
import { describePage } from './describe-page.ts'

const pageMembers = ['size', 'number', 'after', 'before', 'limit', 'offset'] as const
type Member = (typeof pageMembers)[number]

/** The three ways to page: by number, by offset and limit, and by cursor. */
const pageStyles: readonly {
  readonly kind: Exclude<Page['kind'], 'none'>
  readonly members: readonly Member[]
}[] = [
  { kind: 'number', members: ['number', 'size'] },
  { kind: 'offset', members: ['offset', 'limit'] },
  { kind: 'cursor', members: ['after', 'before', 'size'] },
]

/**
 * `page[size]` with `page[number]`, or with `page[after]` and `page[before]`; or `page[limit]` with
 * `page[offset]`.
 */
export function pageParameter(limits: RouterLimits): QueryParameter {
  return {
    baseNames: ['page'],
    describe: () => describePage(limits),
    errors: ['invalid-page', 'page-too-large', 'limit-exceeded', 'invalid-cursor'],
    read: (entries) => {
      const problems: Problem[] = []
      const page = readPage(entries, limits, problems)
      return page && problems.length === 0 ? acceptParameter({ page }) : refuseParameter(problems)
    },
  }
}

function readPage(
  entries: readonly QueryParameterEntry[],
  limits: RouterLimits,
  problems: Problem[],
): Page | undefined {
  const given = new Map<Member, string>()
  for (const { key, path, value } of entries) {
    const member = pageMembers.find((one) => one === path[0])
    if (path.length === 1 && member) given.set(member, value)
    else problems.push(unknownMember(key, path))
  }
  const family = pageStyles.find((one) =>
    [...given.keys()].every((member) => one.members.includes(member)),
  )
  if (!family)
    problems.push(
      problem(
        'invalid-page',
        `${formatMembers(given)} do not go together; page by number and size, by offset and limit, or by cursors and size.`,
        { parameter: `page[${[...given.keys()].at(-1)}]` },
      ),
    )
  if (!family || problems.length > 0) return undefined
  return toPage(
    given.has('number') ? 'number' : family.kind === 'number' ? 'cursor' : family.kind,
    given,
    limits,
    problems,
  )
}

function toPage(
  kind: Exclude<Page['kind'], 'none'>,
  given: ReadonlyMap<Member, string>,
  limits: RouterLimits,
  problems: Problem[],
): Page {
  const whole = (member: Member, least: number, most: number, unless: number) =>
    readWholeNumber(`page[${member}]`, given.get(member), { least, most }, problems) ?? unless
  // What lies between two places is wanted whole, as far as that goes (Cursor Pagination profile,
  // range pagination).
  const isRange = given.has('after') && given.has('before')
  const usual = isRange ? limits.maxPageSize : limits.defaultPageSize
  const member = kind === 'offset' ? 'limit' : 'size'
  const size = readPageSize(`page[${member}]`, given.get(member), limits, problems) ?? usual
  switch (kind) {
    case 'number':
      return {
        kind,
        size,
        number: whole('number', 1, Math.floor(limits.maxOffset / Math.max(size, 1)) + 1, 1),
      }
    case 'offset':
      return { kind, size, offset: whole('offset', 0, limits.maxOffset, 0) }
    case 'cursor':
      return { kind, size, after: given.get('after'), before: given.get('before') }
  }
}

/** How many items a page holds; undefined where nothing fit was said. */
export function readPageSize(
  parameter: string,
  text: string | undefined,
  { maxPageSize: most }: RouterLimits,
  problems: Problem[],
): number | undefined {
  if (!isGreaterThan(text, most))
    return readWholeNumber(parameter, text, { least: 1, most }, problems)
  problems.push(
    problem('page-too-large', `${parameter} is ${most} at most.`, { parameter }, { limit: most }),
  )
  return undefined
}

function readWholeNumber(
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
    const detail = `${parameter} must be a whole number from ${least} to ${most}, not '${truncate(text)}'.`
    problems.push(problem('invalid-page', detail, { parameter }))
  }
  return undefined
}

function isGreaterThan(text: string | undefined, most: number): boolean {
  return text !== undefined && digits.test(text) && Number(text) > most
}

const digits = /^\d+$/

function unknownMember(key: string, path: readonly string[]): Problem {
  const detail = `There is no parameter '${truncate(key)}'; pages are asked for by ${pageMembers.map((one) => `page[${one}]`).join(', ')}.`
  return problem(path.length === 0 ? 'invalid-page' : 'unknown-parameter', detail, {
    parameter: key,
  })
}

function formatMembers(given: ReadonlyMap<Member, string>): string {
  return [...given.keys()].map((member) => `page[${member}]`).join(' and ')
}
