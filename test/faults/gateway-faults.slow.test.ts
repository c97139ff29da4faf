import { holdFaults } from './hold-faults.ts'
import { ways } from './ways.ts'

holdFaults(ways.filter(({ table }) => table === 'gateway'))
