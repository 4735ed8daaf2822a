import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

/**
 * The promise of the service: the longest wait of other clients, and the memory that requests may
 * take.
 */
const PROMISED = { wait: 100, memory: 64 }

/** Bounds that a block of seconds exceeds, and a busy machine does not. */
const GENEROUS = { wait: 2_000, memory: 512 }

/**
 * @typedef {{ books: number, only: string[], without: string[], seconds: number, maxWaitMs: number,
 * maxMemoryMiB: number, cache: string | undefined, isQuick: boolean, isListed: boolean, nice:
 * number, isVerbose: boolean, json: string | undefined, }} Options
 */

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      books: { type: 'string' },
      only: { type: 'string', default: '' },
      without: { type: 'string', default: '' },
      seconds: { type: 'string' },
      'max-wait': { type: 'string' },
      'max-memory': { type: 'string' },
      cache: { type: 'string' },
      nice: { type: 'string', default: '0' },
      json: { type: 'string' },
    },
  })
  const bounds = values.quick ? GENEROUS : PROMISED
  return {
    books: whole('books', values.books ?? (values.quick ? '20000' : '1000000')),
    only: names(values.only),
    without: names(values.without),
    seconds: whole('seconds', values.seconds ?? (values.quick ? '4' : '20')),
    maxWaitMs: whole('max-wait', values['max-wait'] ?? String(bounds.wait)),
    maxMemoryMiB: whole('max-memory', values['max-memory'] ?? String(bounds.memory)),
    cache: values.cache,
    nice: Number(values.nice),
    isQuick: values.quick,
    isListed: values.list,
    isVerbose: values.verbose,
    json: values.json,
  }
}

export const machine = () => `Node ${process.versions.node}, ${availableParallelism()} processors`

/** @param {string} text */
function names(text) {
  return text.split(',').filter((entry) => entry !== '')
}

/**
 * @param {string} option
 * @param {string} text
 */
function whole(option, text) {
  const value = Number(text)
  if (!Number.isInteger(value) || value <= 0)
    throw new Error(`--${option} is a whole number above zero, and not '${text}'.`)
  return value
}
