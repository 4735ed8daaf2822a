import { readFileSync } from 'node:fs'

const PAGE = 4_096

/** @param {number} pid */
export function residentBytes(pid) {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE
}
