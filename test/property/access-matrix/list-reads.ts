import fc from 'fast-check'
import { valuesOf } from './data.ts'
import { groupsQuery } from './group-reads.ts'
import { anyName, ids, listParameters, type MatrixRequest, plurals, wireName } from './requests.ts'
import { type ModelName, modelNames, relations } from './state.ts'
import { aggregate, member, relatedLists } from './summarized-members.ts'
import type { Setting } from './visible.ts'

interface ListRead {
  readonly path: string
  readonly query: string
}

/** What all pages and groups add up to, lists as files, and `QUERY` in place of GET. */
export function listReadArbitrary(policy: Setting['policy']): fc.Arbitrary<MatrixRequest> {
  const list = anyName.chain((name) => listRead(name, policy))
  const type = policy === 'rest' ? 'application/json' : 'application/vnd.api+json'
  const accept = fc.constantFrom(
    ...[type, type, type, '*/*', 'text/csv', 'text/csv', 'application/jsonl'],
    'text/csv, */*;q=0.5',
  )
  const first = fc
    .tuple(list, accept, fc.constantFrom('GET', 'GET', 'HEAD', 'QUERY', 'QUERY'))
    .map(([read, accepted, method]) => requestFor(method, read, { accept: accepted }))
  const follow = fc
    .tuple(fc.nat(3), fc.constantFrom('GET', 'QUERY'))
    .map(([back, method]) => ({ ...requestFor(method, { path: '', query: '' }), follow: back }))
  return fc.oneof({ weight: 8, arbitrary: first }, { weight: 1, arbitrary: follow })
}

function requestFor(
  method: string,
  { path, query }: ListRead,
  headers: Readonly<Record<string, string>> = {},
): MatrixRequest {
  if (method !== 'QUERY') return { method, path: query === '' ? path : `${path}?${query}`, headers }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method, path, headers: { ...headers, ...form }, body: query }
}

function listRead(name: ModelName, policy: Setting['policy']): fc.Arbitrary<ListRead> {
  const list = queryOf(name).map((query) => ({ path: `/${plurals[name]}`, query }))
  const groups = groupsQuery[name].map((query) => ({ path: `/${plurals[name]}/groups`, query }))
  const whole = fc.oneof({ weight: 2, arbitrary: list }, { weight: 1, arbitrary: groups })
  const lists = relatedLists(name)
  if (policy === 'rest' || lists.length === 0) return whole
  const related = fc
    .tuple(ids(name), fc.constantFrom(...lists), fc.constantFrom('', '', 'relationships/'))
    .chain(([id, [member, target], prefix]) =>
      queryOf(target).map((query) => ({
        path: `/${plurals[name]}/${id}/${prefix}${member}`,
        query,
      })),
    )
  return fc.oneof({ weight: 3, arbitrary: whole }, { weight: 1, arbitrary: related })
}

function queryOf(name: ModelName): fc.Arbitrary<string> {
  const parts = fc.tuple(
    listParameters(name),
    fc.option(summaries[name], { nil: '', freq: 3 }),
    fc.option(wordSearch, { nil: '', freq: 2 }),
    fc.option(files(name), { nil: '', freq: 1 }),
  )
  return parts.map((all) => all.filter((each) => each !== '').join('&'))
}

/** Words of what can be searched, whether or not the caller sees the item that has them. */
const wordSearch = fc
  .uniqueArray(
    fc
      .tuple(
        fc.constantFrom('', '', '-'),
        fc.constantFrom('Ann', 'Bob', 'c', 'A', 'dawn', 'no', 'Noon', 'yes', 'b', '"a"'),
      )
      .map((parts) => parts.join('')),
    { minLength: 1, maxLength: 2 },
  )
  .map((words) => `search=${encodeURIComponent(words.join(' '))}`)

/** Files have no place for included items, so most of them choose members only. */
function files(name: ModelName): fc.Arbitrary<string> {
  const download = fc.constantFrom('a.csv', 'a.jsonl', 'a.json').map((file) => `download=${file}`)
  const fields = fc
    .subarray([...Object.keys(valuesOf[name]).map(wireName), ...Object.keys(relations[name])])
    .map((members) => `fields[${plurals[name]}]=${members.join(',')}`)
  return fc.oneof(
    download,
    fc.tuple(download, fields).map((parts) => parts.join('&')),
  )
}

function summaryParameters(name: ModelName): fc.Arbitrary<string> {
  const few = { minLength: 1, maxLength: 3 }
  const aggregates = fc
    .uniqueArray(aggregate(name), few)
    .map((all) => `withAggregates=${all.join(',')}`)
  const facets = fc.uniqueArray(member(name), few).map((all) => `withFacets=${all.join(',')}`)
  return fc.oneof(
    aggregates,
    facets,
    fc.tuple(aggregates, facets).map((both) => both.join('&')),
  )
}

const summaries = Object.fromEntries(
  modelNames.map((name) => [name, summaryParameters(name)]),
) as Record<ModelName, fc.Arbitrary<string>>
