/*
 * recursive_doubling HOSTS: an all-reduce by recursive doubling that checks where its ranks are.
 *
 * HOSTS lists the hosts in the order of a ring, one a line. Rank 0 prints the host of every rank, one a line, on standard
 * output, and on standard error the sum of the distances of all pairs of partners and the largest distance: total and
 * largest dilation of the placement, as `cubefold measure` shows them.
 *
 *     mpicc -O2 -o recursive_doubling recursive_doubling.c
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH = 64, MAX_HOSTS = 4096 };

static char hosts[MAX_HOSTS][NAME_LENGTH];

static void fail(const char *message, const char *name)
{
    fprintf(stderr, "recursive_doubling: %s %s\n", message, name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Reads the hosts; returns their number. */
static int read_hosts(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0;
    if (file == NULL)
        fail("cannot read", path);
    while (count < MAX_HOSTS && fscanf(file, "%63s", hosts[count]) == 1)
        count++;
    fclose(file);
    return count;
}

/* The name of the host of this rank: the node that Slurm names, else the name of the machine. */
static void own_host(char name[NAME_LENGTH])
{
    char processor[MPI_MAX_PROCESSOR_NAME] = "";
    const char *node = getenv("SLURMD_NODENAME");
    int length;
    MPI_Get_processor_name(processor, &length);
    snprintf(name, NAME_LENGTH, "%.63s", node != NULL ? node : processor);
}

static int position(const char *name, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(hosts[i], name) == 0)
            return i;
    fail("not in the list of hosts:", name);
    return -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (size == 1 && tasks != NULL && atoi(tasks) > 1)
        fail("srun started programs of one rank each:", "give it --mpi=pmix or --mpi=pmi2");
    if (argc != 2 || (size & (size - 1)) != 0)
        fail("expected a file of hosts and 2^d ranks;", "usage: recursive_doubling HOSTS");

    int count = read_hosts(argv[1]);
    char own[NAME_LENGTH] = "";
    own_host(own);
    char *names = malloc((size_t)size * NAME_LENGTH);
    if (names == NULL)
        fail("no memory for", "names");
    MPI_Allgather(own, NAME_LENGTH, MPI_CHAR, names, NAME_LENGTH, MPI_CHAR, MPI_COMM_WORLD);

    long sum = rank, received;
    int distances = 0, largest = 0, here = position(own, count);
    for (int bit = 1; bit < size; bit <<= 1) {
        int partner = rank ^ bit;
        MPI_Sendrecv(&sum, 1, MPI_LONG, partner, 0, &received, 1, MPI_LONG, partner, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum += received;
        int distance = abs(here - position(names + (size_t)partner * NAME_LENGTH, count));
        if (count - distance < distance)
            distance = count - distance;
        distances += distance;
        if (distance > largest)
            largest = distance;
    }
    if (sum != (long)size * (size - 1) / 2)
        fail("wrong sum:", "are all ranks of one job?");

    int total, maximum;
    MPI_Reduce(&distances, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&largest, &maximum, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < size; i++)
            printf("%s\n", names + (size_t)i * NAME_LENGTH);
        fprintf(stderr, "ranks %d, total distance %d, largest distance %d\n", size, total / 2, maximum);
    }
    free(names);
    MPI_Finalize();
    return 0;
}
