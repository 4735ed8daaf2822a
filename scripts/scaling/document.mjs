// The part of docs/guide/scaling.md that is computed from bench/figures/costs.json.

import { MIXES } from '../../bench/costs/mixes.mjs'
import { capacitySections } from './capacity-sections.mjs'
import { costSections } from './cost-sections.mjs'
import { validationSection } from './validation-section.mjs'
import { waitingSection } from './waiting-section.mjs'

/**
 * @typedef {'memory' | 'sqlite-documents' | 'sqlite-tables' | 'postgres'} StoreName
 * @typedef {import('../../bench/costs.mjs').StoreFigures} StoreFigures
 *
 * @typedef {object} Figures as `node bench/costs.mjs --json` writes them
 * @property {string} node
 * @property {string} processor
 * @property {number} cores
 * @property {string} postgres
 * @property {number} connections
 * @property {number} books
 * @property {number} rounds
 * @property {number} seconds
 * @property {Readonly<Record<StoreName, StoreFigures>>} stores
 */

const start = '<!-- `npm run scaling` makes this part. -->'
const end = '<!-- end of the part -->'

/**
 * The page with its computed part.
 *
 * @param {string} page
 * @param {Figures} figures
 */
export function pageWithScaling(page, figures) {
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`The page has no '${start}' and '${end}'.`)
  const part = [
    ...costSections(figures),
    ...capacitySections(figures, MIXES),
    ...waitingSection(figures, MIXES),
    ...validationSection(figures, MIXES),
  ]
  return [before, start, '\n\n', part.join('\n\n'), '\n\n', end, after].join('')
}
